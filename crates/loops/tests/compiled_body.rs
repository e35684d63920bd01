//! The loops as compiled: what stands in this binary, not what stands in the source.

#![cfg(target_arch = "x86_64")]

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};

/// The instructions of the one loop in the function at `entry`: from the target of its backward
/// jump to that jump.
fn loop_body(entry: usize) -> Vec<Instruction> {
    const ENOUGH: usize = 1024;
    // SAFETY: the functions lie amid this test's own code, which is far longer than this.
    let code = unsafe { std::slice::from_raw_parts(entry as *const u8, ENOUGH) };
    let mut seen: Vec<Instruction> = Vec::new();
    for instruction in Decoder::with_ip(64, code, entry as u64, DecoderOptions::NONE) {
        seen.push(instruction);
        let target = instruction.near_branch_target();
        if instruction.flow_control() == FlowControl::ConditionalBranch
            && (entry as u64..instruction.ip()).contains(&target)
        {
            return seen.into_iter().skip_while(|i| i.ip() < target).collect();
        }
    }
    panic!("no loop within {ENOUGH} bytes of its function");
}

fn body_of(name: &str) -> Vec<Instruction> {
    let (_, entry) = toll_loops::entry_points()
        .into_iter()
        .find(|(n, _)| *n == name)
        .unwrap_or_else(|| panic!("no loop {name}"));
    loop_body(entry)
}

fn count(body: &[Instruction], mnemonic: Mnemonic) -> usize {
    body.iter().filter(|i| i.mnemonic() == mnemonic).count()
}

#[test]
fn the_compiled_loops_hold_their_sixteen_operations_and_nothing_else() {
    let call = body_of("call");
    assert_eq!(count(&call, Mnemonic::Call), 16);
    // Two arguments a call, the counter and its jump.
    assert_eq!(call.len(), 16 * 3 + 2);

    let syscall = body_of("syscall");
    assert_eq!(count(&syscall, Mnemonic::Syscall), 16);
    assert_eq!(syscall.len(), 16 * 4 + 2);

    let counter = body_of("counter");
    assert_eq!(count(&counter, Mnemonic::Rdtsc), 16);
    assert_eq!(counter.len(), 16 * 3 + 2);
}

#[test]
fn no_loop_calls_one_time_more_or_less() {
    use toll_loops::{Call, Field, Op, UNROLL};
    extern "C" fn tally(a: u64, b: u64) -> i64 {
        // SAFETY: `a` is the address of the test's own counter, used by this thread alone.
        unsafe { *(a as *mut u64) += b };
        0
    }
    let mut calls = 0u64;
    let op =
        Op::Call(Call { function: tally as *const () as usize, a: &raw mut calls as u64, b: 1 });
    // SAFETY: `tally` may be called any number of times.
    unsafe { op.repeat(1000) };
    assert_eq!(calls, 1000 * UNROLL);

    let memory = vec![0u8; 1 << 20];
    // SAFETY: `memory` outlives the field.
    let mut field = unsafe { Field::new(memory.as_ptr(), memory.len()) }.unwrap();
    for misses in Field::SHAPES {
        calls = 0;
        // SAFETY: as above.
        unsafe { op.repeat_among(&mut field, misses, 777) };
        assert_eq!(calls, 777, "{misses} misses");
    }
}
