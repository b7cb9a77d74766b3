import { useEffect, useState } from "react";

/** Returns the value once it has not changed for a while. */
export function useSettled<Value>(value: Value, settleMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value, settleMs]);
  return settled;
}
