//! Waiting for a child and ending it with its group: the only `unsafe` of the library.

use std::io;
use std::process::{Child, ExitStatus};

/// Waits until a child has ended, without taking its status.
#[cfg(unix)]
#[expect(unsafe_code, reason = "waitid has no safe form in std")]
pub(super) fn await_exit(child: &Child) -> io::Result<()> {
    loop {
        let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: waitid writes to `info`, which outlives the call; WNOWAIT leaves the child to be waited for.
        let ended = unsafe {
            libc::waitid(libc::P_PID, child.id(), info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT)
        };
        match ended {
            0 => return Ok(()),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

/// Takes the status of a child that has ended, with the most memory in bytes that it or one of its own children had.
#[cfg(unix)]
#[expect(unsafe_code, reason = "wait4 has no safe form in std")]
pub(super) fn take_status(child: &mut Child) -> io::Result<(ExitStatus, Option<u64>)> {
    let number = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    loop {
        // SAFETY: wait4 writes to `status` and `usage`, which outlive the call; the child is one that was not yet waited for.
        let ended = unsafe { libc::wait4(number, &raw mut status, 0, usage.as_mut_ptr()) };
        if ended == number {
            // SAFETY: wait4 succeeded and has written it; before, it was zeros, which are a valid `rusage`.
            let kibibytes = u64::try_from(unsafe { usage.assume_init() }.ru_maxrss).unwrap_or(0);
            // macOS counts bytes there.
            let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
            let status = std::os::unix::process::ExitStatusExt::from_raw(status);
            return Ok((status, Some(kibibytes * unit).filter(|&bytes| bytes > 0)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(not(unix))]
pub(super) fn take_status(child: &mut Child) -> io::Result<(ExitStatus, Option<u64>)> {
    child.wait().map(|status| (status, None))
}

#[cfg(not(unix))]
pub(super) fn await_exit(_child: &Child) -> io::Result<()> {
    Ok(())
}

/// Ends a child with its group; one in our own group alone.
#[cfg(unix)]
#[expect(unsafe_code, reason = "kill has no safe form in std")]
pub(super) fn end(child: u32, shared_group: bool) {
    if let Ok(child) = libc::pid_t::try_from(child) {
        let whom = if shared_group { child } else { -child };
        // SAFETY: kill takes plain integers; the child is one that we started and have not yet waited for, as is its group.
        unsafe { libc::kill(whom, libc::SIGKILL) };
    }
}

#[cfg(not(unix))]
pub(super) fn end(_child: u32, _shared_group: bool) {}
