/**
 * Which server it is, and since when. A server that has lost one of its processes recovers without a new start, but resets its
 * statistics, as after any crash.
 */
export const serverLife = "concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time())";
