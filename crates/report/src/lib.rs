//! What people read: tables and text from a run
