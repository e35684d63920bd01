//! `toll check`: measure in short, judge, and say why.

use crate::args::{CheckArgs, Common};
use crate::complaint::{Complaint, reason};
use crate::delivery::Delivery;
use crate::exit::Exit;
use crate::measuring::{self, AmongMisses, Request};
use crate::output::print;
use crate::progress::Bar;
use crate::started::Started;
use crate::{interrupt, java};
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use toll_findings::checks;
use toll_model::{Host, Run, Tool};

/// Time for prices and probes: with the host's facts and a JVM the whole answer stays within 5 s.
const BUDGET: Duration = Duration::from_millis(2_500);

/// Runs the verb.
///
/// # Errors
/// Bad arguments, a run file that cannot be read or written, a measurement that cannot start.
pub(crate) fn run(args: &CheckArgs, common: &Common, started: &Started) -> Result<Exit, Complaint> {
    if args.list_checks {
        return print(&list(common)).map(|()| Exit::Fine);
    }
    // An unknown name is told before anything is measured.
    judge(&mut Run::new(Tool::default(), Host::default()), &args.only)?;
    let delivery = Delivery::open(common)?;
    match &args.from {
        Some(path) => recorded(path, args, common, &delivery),
        None => live(args, common, &delivery, started),
    }
}

fn live(
    args: &CheckArgs,
    common: &Common,
    delivery: &Delivery,
    started: &Started,
) -> Result<Exit, Complaint> {
    let stop = interrupt::watch();
    let host = toll_host::read(&toll_host::Roots::live());
    delivery.introduce(&host)?;
    let request = Request {
        clocks: Vec::new(),
        among_misses: AmongMisses::InShort,
        cpu: None,
        budget: BUDGET,
        seed: None,
        java: java::usual(&host),
        java_named: false,
        probes: true,
    };
    let measured = measuring::gather(request, host, &Bar::new(!common.quiet), stop);
    let mut run = match measured {
        Err(_) if interrupt::came() => return Ok(Exit::Interrupted),
        measured => measured?,
    };
    judge(&mut run, &args.only)?;
    run.tool = started.tool();
    delivery.finish(&run, |view| toll_report::check::render(&run, view, None))?;
    if interrupt::came() {
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::of_findings(&run, common.fail_on))
}

fn recorded(
    path: &Path,
    args: &CheckArgs,
    common: &Common,
    delivery: &Delivery,
) -> Result<Exit, Complaint> {
    let name = path.display().to_string();
    let refuse = |why: String| {
        Complaint::new(
            format_args!("{name} cannot be judged: {why}"),
            "give a run file as `toll check --json` writes it, or - for standard input",
        )
    };
    let text = read(path).map_err(|error| refuse(reason(&error)))?;
    let mut run = Run::from_json(&text).map_err(|error| refuse(error.to_string()))?;
    judge(&mut run, &args.only)?;
    delivery.introduce(&run.host)?;
    delivery.finish(&run, |view| toll_report::check::render(&run, view, Some(&name)))?;
    Ok(Exit::of_findings(&run, common.fail_on))
}

fn read(path: &Path) -> std::io::Result<String> {
    if path != Path::new("-") {
        return std::fs::read_to_string(path);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map(|_| text)
}

fn judge(run: &mut Run, only: &[String]) -> Result<(), Complaint> {
    toll_findings::evaluate(run, only)
        .map_err(|error| Complaint::new(error, "`toll check --list-checks` lists them all"))
}

fn list(common: &Common) -> String {
    let checks = checks().iter().map(|check| (check.id(), check.title()));
    if common.json {
        let objects = checks.map(|(id, title)| serde_json::json!({ "id": id, "title": title }));
        return format!("{:#}\n", serde_json::Value::from_iter(objects));
    }
    if common.plain {
        let lines = checks.map(|(id, title)| format!("{id}\t{title}\n"));
        return lines.fold("id\ttitle\n".into(), |text, line| text + &line);
    }
    let width = checks.clone().map(|(id, _)| id.len()).max().unwrap_or_default();
    checks.map(|(id, title)| format!("{id:<width$}  {title}\n")).collect()
}
