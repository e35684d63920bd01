//! The clocksource in force costs more than the TSC would: by how much, why, and what to do.

use crate::check::{Check, Outcome};
use crate::price::{self, InSitu, Price};
use crate::tsc::{Safety, is_tsc, safety};
use crate::vdso_proof::{self, Proof};
use crate::words::{emulated, has_tsc, share_of_a_cpu, span, times, unknown};
use crate::{grade, in_program, origin, switching};
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Path, Remedy, Run};

pub(super) struct SlowClocksource;

impl Check for SlowClocksource {
    fn id(&self) -> &'static str {
        "clock.slow-clocksource"
    }

    fn title(&self) -> &'static str {
        "the clocksource in force costs more than the TSC would, priced without a switch"
    }

    fn run(&self, run: &Run) -> Outcome {
        let fact = &run.host.clocksource.current;
        let Some(current) = fact.known().map(String::as_str) else {
            return Outcome::Unavailable(unknown("the clocksource in force", fact));
        };
        if !has_tsc(&run.host) {
            return Outcome::Ok(format!(
                "{current} is this architecture's own counter{}",
                cost(run)
            ));
        }
        if is_tsc(current) {
            return Outcome::Ok(format!("{current} is in force{}", cost(run)));
        }
        let (clock, now) = match price::headline(run) {
            Ok(found) => found,
            Err(why) => return Outcome::Unavailable(format!("{current} has no price: {why}")),
        };
        if price::no_vdso(run) {
            return Outcome::Unavailable(format!(
                "{clock} costs {} under {current} by system call, for there is no vDSO \
                 (clock.leaves-vdso); what that call would cost under tsc can't be told without a \
                 switch",
                now.shown()
            ));
        }
        match price::under_tsc(run, clock, &now) {
            Ok(tsc) => Case { run, current, clock, now, tsc }.judge(self.id()),
            Err(why) => Outcome::Unavailable(format!(
                "{clock} costs {} under {current}; under tsc it can't be predicted: {why}",
                now.shown()
            )),
        }
    }
}

/// ` (CLOCK_REALTIME 22.6 ns)`, where that is known.
fn cost(run: &Run) -> String {
    match price::headline(run) {
        Ok((clock, now)) => format!(" ({clock} {})", now.shown()),
        Err(_) => String::new(),
    }
}

/// A clocksource that is not the TSC, with both prices.
struct Case<'a> {
    run: &'a Run,
    current: &'a str,
    clock: &'static str,
    now: Price,
    tsc: Price,
}

impl Case<'_> {
    fn saving(&self) -> f64 {
        self.now.ns - self.tsc.ns
    }

    fn judge(&self, id: &str) -> Outcome {
        if self.saving() <= 0.0 || self.now.touches(&self.tsc) {
            return Outcome::Ok(format!(
                "{} costs {} under {} and {} under tsc (predicted): no difference{}",
                self.clock,
                self.now.shown(),
                self.current,
                self.tsc.shown(),
                emulated(self.run)
            ));
        }
        let level = grade::of_saving(self.now.ns, self.tsc.ns);
        let safety = safety(self.run);
        Outcome::found(Finding {
            id: id.into(),
            level,
            summary: self.summary(level, &safety),
            because: self.because(&safety),
            evidence: self.evidence(),
            remedies: match &safety {
                Safety::Allowed(doubts) => self.switch(doubts),
                _ if self.is_worth_it() => self.without_a_switch(),
                _ => Vec::new(),
            },
        })
    }

    /// The switch, and for good only where it is worth anything.
    fn switch(&self, doubts: &[String]) -> Vec<Remedy> {
        let mut remedies = vec![switching::to_tsc(self.run, &self.gain(), doubts)];
        if self.is_worth_it() {
            remedies.push(switching::for_good(self.run));
        }
        remedies
    }

    /// What is left where tsc must not be put in force: the cause, and the program.
    fn without_a_switch(&self) -> Vec<Remedy> {
        let mut remedies = vec![Remedy {
            command: "toll check --only clock.tsc-evidence".into(),
            gain: format!(
                "tells what speaks against the TSC and what may remove it; {} would then cost {}",
                self.clock,
                self.tsc.shown()
            ),
            risk: "none; never put a TSC in force that the kernel has given up".into(),
        }];
        remedies.extend(in_program::remedies(self.run, self.clock, &self.now));
        remedies
    }

    /// Whether the saving is felt anywhere.
    fn is_worth_it(&self) -> bool {
        self.saving() >= grade::NOTHING_IN_PRACTICE_NS
    }

    fn summary(&self, level: Level, safety: &Safety) -> String {
        let (now, tsc) = (Nanos(self.now.ns), Nanos(self.tsc.ns));
        let ratio = times(self.now.ns / self.tsc.ns);
        let worth = if !self.is_worth_it() {
            format!("{} less, nothing to gain in practice", Nanos(self.saving()))
        } else if level == Level::Info {
            format!(
                "{} less, felt only by a program that reads it all the time",
                Nanos(self.saving())
            )
        } else {
            format!("{ratio} less")
        };
        let but = match safety {
            Safety::Allowed(_) => "",
            Safety::Forbidden(_) => "; but tsc must not be used here",
            Safety::Unknown(_) => "; whether tsc may be used here is not known",
        };
        format!(
            "{} costs {now} under {}, under tsc it would cost {tsc}: {worth}{but}{}",
            self.clock,
            self.current,
            emulated(self.run)
        )
    }

    fn because(&self, safety: &Safety) -> Vec<String> {
        let mut links = Vec::new();
        match vdso_proof::of(self.run, self.clock) {
            Proof::Left(told) | Proof::Stayed(told) => links.push(told),
            Proof::None(_) => {}
        }
        links.push(format!("the clocksource in force is {}", self.current));
        links.extend(origin::links(self.run, self.current));
        match safety {
            Safety::Forbidden(reasons) => {
                for reason in reasons {
                    if !links.iter().any(|link| link.contains(reason.as_str())) {
                        links.push(format!("tsc must not be used: {reason}"));
                    }
                }
            }
            Safety::Unknown(why) => links.push(why.clone()),
            Safety::Allowed(_) => {}
        }
        links
    }

    fn evidence(&self) -> Vec<String> {
        let mut lines = vec![
            self.now.evidence(),
            format!("predicted under tsc, idle: {} = {}", self.tsc.id, self.tsc.shown()),
        ];
        let others = price::PRECISE.iter().filter(|other| **other != self.clock);
        lines.extend(others.filter_map(|other| Some(price::now(self.run, other).ok()?.evidence())));
        lines.extend(
            [self.in_situ_now(), self.in_situ_tsc()].into_iter().flatten().flat_map(|s| s.rows),
        );
        if let Proof::None(why) = vdso_proof::of(self.run, self.clock) {
            lines.push(format!("no proof of who answers: {why}"));
        }
        lines.extend(origin::evidence(self.run));
        lines
    }

    fn in_situ_now(&self) -> Option<InSitu> {
        price::in_situ(self.run, self.clock, &[Path::Libc, Path::Vdso])
    }

    fn in_situ_tsc(&self) -> Option<InSitu> {
        price::in_situ(self.run, "CLOCK_MONOTONIC", &[Path::Twin])
    }

    /// The gain of a switch, as a bracket: idle, where a call is cheapest, and among cache misses.
    fn gain(&self) -> String {
        let idle =
            format!("{} from {} to {} idle", self.clock, Nanos(self.now.ns), self.tsc.shown());
        let among = match (self.in_situ_now(), self.in_situ_tsc()) {
            (Some(now), Some(tsc)) => format!(
                ", among cache misses {} instead of {}",
                span(tsc.ns[0], tsc.ns[1]),
                span(now.ns[0], now.ns[1])
            ),
            (Some(now), None) => {
                format!("; among cache misses {} now, not predicted", span(now.ns[0], now.ns[1]))
            }
            _ => String::new(),
        };
        let worth = if self.is_worth_it() { "" } else { ", nothing in practice" };
        format!("{idle}{among}; {}{worth}", share_of_a_cpu(self.saving()))
    }
}
