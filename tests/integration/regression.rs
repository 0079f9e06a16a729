//! Each bug that was fixed leaves its smallest case here, named by what went wrong, so that it stays
//! fixed; a comment says what class of bug it was and which other test should have found it.
