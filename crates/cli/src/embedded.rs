//! What the program carries inside itself; see `build.rs`. `None` in a build without `make`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
