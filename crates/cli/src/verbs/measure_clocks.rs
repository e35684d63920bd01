//! `toll measure clocks`: every clock, every path, idle and in situ.

use crate::args::{ClocksArgs, Common};
use crate::complaint::Complaint;
use crate::delivery::Delivery;
use crate::exit::Exit;
use crate::measuring::{self, AmongMisses, Behaviour, Request};
use crate::numbers::Numbers;
use crate::output::say;
use crate::progress::Bar;
use crate::started::Started;
use crate::{interrupt, java};
use std::path::PathBuf;
use std::time::Duration;
use toll_host::cpu_list;
use toll_measure::clocks::{Clock, PathTo};
use toll_measure::scaling::Plan;
use toll_model::{Host, Run};

/// Time for measuring, where none is given.
const BUDGET: Duration = Duration::from_secs(3);

/// The clocks that many read at once, where none is named.
const MANY: [&str; 5] =
    ["CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_COARSE", "rdtsc", "cntvct"];

/// Runs the verb.
///
/// # Errors
/// Bad arguments, something named that cannot be measured, a file that cannot be written.
pub(crate) fn run(
    args: &ClocksArgs,
    common: &Common,
    started: &Started,
) -> Result<Exit, Complaint> {
    let clocks = args
        .clocks
        .iter()
        .map(|name| name.parse::<Clock>().map_err(Complaint::whole))
        .collect::<Result<Vec<_>, _>>()?;
    let named_jvms = java::named(args.java.iter().map(PathBuf::as_path))?;
    let delivery = Delivery::open(common)?;
    let stop = interrupt::watch();
    let host = toll_host::read(&toll_host::Roots::live());
    let request = Request {
        cpu: one_cpu(args, common, &host)?,
        among_misses: if args.no_in_situ { AmongMisses::Nothing } else { AmongMisses::InFull },
        budget: budget(args),
        seed: args.seed,
        java_named: !named_jvms.is_empty(),
        java: match (args.no_java, named_jvms.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) if clocks.is_empty() => java::found(&host),
            (false, _) => named_jvms,
        },
        clocks: clocks.clone(),
        probes: false,
    };
    delivery.introduce(&host)?;
    let bar = Bar::new(!common.quiet);
    let measured = match (behaviour(args, &request, &host)?, many(args, &request, &host)?) {
        (Some(what), _) => measuring::observe(&what, host, &bar, stop),
        (None, Some(plan)) => measuring::gather_many(&plan, host, &bar, stop),
        (None, None) => measuring::gather(request, host, &bar, stop),
    };
    let mut run = match measured {
        // A JVM that was named dies of the same Ctrl-C.
        Err(_) if interrupt::came() => return Ok(Exit::Interrupted),
        measured => measured?,
    };
    run.tool = started.tool();
    delivery.finish(&run, |view| toll_report::clocks::render(&run, view))?;
    if interrupt::came() {
        return Ok(Exit::Interrupted);
    }
    missing(&run, &clocks).map_or(Ok(Exit::Fine), Err)
}

fn budget(args: &ClocksArgs) -> Duration {
    match args.duration {
        Some(span) => span.0,
        None if args.quick => BUDGET / 4,
        None => BUDGET,
    }
}

// What to observe instead of prices, if that was asked for.
fn behaviour(
    args: &ClocksArgs,
    request: &Request,
    host: &Host,
) -> Result<Option<Behaviour>, Complaint> {
    if !(args.steps || args.latency || args.order) {
        return Ok(None);
    }
    let clocks = match request.clocks.as_slice() {
        [] => Clock::all().collect(),
        named => named.to_vec(),
    };
    Ok(Some(Behaviour {
        clocks,
        steps: args.steps,
        latency: args.latency,
        order: args.order,
        cpus: cpus(args, host)?,
        budget: request.budget,
    }))
}

// What to do with many at once, if that was asked for.
fn many(args: &ClocksArgs, request: &Request, host: &Host) -> Result<Option<Plan>, Complaint> {
    if args.threads.is_none() && args.processes.is_none() {
        return Ok(None);
    }
    if !request.java.is_empty() && request.java_named {
        let what = "--java with --threads or --processes: many at once are measured natively only";
        return Err(Complaint::new(what, "leave out --java"));
    }
    let clocks = match request.clocks.as_slice() {
        [] => MANY.iter().filter_map(|name| name.parse().ok()).collect(),
        named => named.to_vec(),
    };
    let clocks = clocks.into_iter().flat_map(|clock: Clock| {
        let paths: &[PathTo] =
            if clock.is_counter() { &[PathTo::Inline] } else { &[PathTo::Vdso, PathTo::Syscall] };
        paths.iter().map(move |path| (clock, *path))
    });
    let numbers = |given: &Option<Numbers>| given.clone().map(|n| n.0).unwrap_or_default();
    Ok(Some(Plan {
        clocks: clocks.collect(),
        threads: numbers(&args.threads),
        processes: numbers(&args.processes),
        cpus: cpus(args, host)?,
        budget: request.budget,
        seed: request.seed.unwrap_or_else(measuring::fresh_seed),
    }))
}

// The CPUs to measure on, none if any will do; one that cannot be used is told beside those that can.
fn cpus(args: &ClocksArgs, host: &Host) -> Result<Vec<u32>, Complaint> {
    let Some(text) = &args.cpus else { return Ok(Vec::new()) };
    let asked = cpu_list::parse(text)
        .map_err(|error| Complaint::new(error, "give numbers and ranges such as 0-3,8"))?;
    let facts = &host.cpu;
    for (set, is) in [(&facts.online, "online"), (&facts.allowed, "allowed to this process")] {
        let Some(set) = set.known() else { continue };
        if let Some(cpu) = asked.iter().find(|cpu| !set.contains(cpu)) {
            return Err(Complaint::new(
                format_args!("CPU {cpu} is not {is}"),
                format_args!("choose from {}", cpu_list::format(set)),
            ));
        }
    }
    if asked.is_empty() {
        return Err(Complaint::new("--cpus names no CPU", "give numbers and ranges such as 0-3,8"));
    }
    Ok(asked)
}

// The one CPU of a single thread.
fn one_cpu(args: &ClocksArgs, common: &Common, host: &Host) -> Result<Option<u32>, Complaint> {
    let asked = cpus(args, host)?;
    let many = args.threads.is_some() || args.processes.is_some();
    if let (false, false, [first, _, ..]) = (common.quiet, many, asked.as_slice()) {
        say(&format!("toll: one thread measures, on CPU {first}"));
    }
    Ok(asked.first().copied())
}

// What the user named and this machine cannot give is an error; what nobody named is only a row.
fn missing(run: &Run, named: &[Clock]) -> Option<Complaint> {
    // Steps, latency and order are observations, and each says why there is none.
    let named = if run.measurements.is_empty() { &[] } else { named };
    for clock in named {
        let rows = || run.measurements.iter().filter(|row| row.subject.operation == clock.name());
        if rows().all(|row| row.median.is_none()) {
            let why = rows().find_map(|row| row.unavailable.clone());
            return Some(Complaint::new(
                format_args!("{} could not be measured", clock.name()),
                why.unwrap_or_else(|| "nothing was measured of it".into()),
            ));
        }
    }
    None
}
