import type { ReactNode } from "react";

/** On a grid of 24, with lines of the same width and round ends. */
const drawings = {
  activity: <path d="M3 12h4l3 8 4-16 3 8h4" />,
  animals: (
    <>
      <path d="M12 12.5c-2.9 0-5.5 3.2-5.5 5.6 0 1.5 1.2 2.4 2.7 2.4 1.1 0 1.8-.5 2.8-.5s1.7.5 2.8.5c1.5 0 2.7-.9 2.7-2.4 0-2.4-2.6-5.6-5.5-5.600z" />
      <ellipse cx="9" cy="6.5" rx="1.8" ry="2.5" />
      <ellipse cx="15" cy="6.5" rx="1.8" ry="2.5" />
      <ellipse cx="4.8" cy="11.5" rx="1.6" ry="2.2" />
      <ellipse cx="19.2" cy="11.5" rx="1.6" ry="2.2" />
    </>
  ),
  arrowUp: <path d="M12 19V5m6 6-6-6-6 6" />,
  book: <path d="M5 19.500V5a2 2 0 0 1 2-2h12v18H6.500a1.5 1.5 0 0 1 0-3H19" />,
  categories: (
    <>
      <path d="M3 11V4.500A1.5 1.5 0 0 1 4.5 3H11l9.3 9.300a2 2 0 0 1 0 2.800l-5.2 5.200a2 2 0 0 1-2.8 0z" />
      <circle cx="7.5" cy="7.5" r="1" />
    </>
  ),
  check: <path d="m5 12.5 4.5 4.500L19 7.5" />,
  chevron: <path d="m6 9.5 6 6 6-6" />,
  close: <path d="M6 6l12 12M18 6 6 18" />,
  download: <path d="M12 4v11m5-5-5 5-5-5M4 20h16" />,
  edit: <path d="m4 20 .9-4.200L15.8 4.900a2 2 0 0 1 2.8 0l.5.500a2 2 0 0 1 0 2.800L8.2 19.100z" />,
  filter: <path d="M4 6h16M7.5 12h9M10.5 18h3" />,
  keys: (
    <>
      <circle cx="8" cy="16" r="4.5" />
      <path d="m11.2 12.8 8.3-8.300M16 8l3 3M13.5 10.500l2 2" />
    </>
  ),
  offline: (
    <path d="M3 3l18 18M8.5 16.400a5 5 0 0 1 7 0M5 12.900a10 10 0 0 1 5-2.700M19 12.900a10 10 0 0 0-2-1.500M2 8.800a15 15 0 0 1 4.2-2.600M22 8.800A15 15 0 0 0 10.7 5M12 20h.01" />
  ),
  orders: (
    <>
      <path d="M5 8h14l1 12.500H4z" />
      <path d="M8.5 11V7a3.5 3.5 0 0 1 7 0v4" />
    </>
  ),
  overview: (
    <>
      <rect x="3.5" y="3.5" width="7" height="9" rx="1.5" />
      <rect x="13.5" y="3.5" width="7" height="5" rx="1.5" />
      <rect x="13.5" y="11.5" width="7" height="9" rx="1.5" />
      <rect x="3.5" y="15.5" width="7" height="5" rx="1.5" />
    </>
  ),
  plus: <path d="M12 5v14M5 12h14" />,
  print: (
    <>
      <path d="M7 8V3.500h10V8M7 17H5a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-2" />
      <rect x="7" y="14" width="10" height="6.5" />
    </>
  ),
  search: (
    <>
      <circle cx="11" cy="11" r="6.5" />
      <path d="m16 16 4.5 4.5" />
    </>
  ),
  signOut: <path d="M14 4H7a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h7M11 12h9.500m-3.5-4 4 4-4 4" />,
  trash: (
    <path d="M4 7h16M9.5 7V4.500h5V7M6 7l1 12.500a1.5 1.5 0 0 0 1.5 1.500h7a1.5 1.5 0 0 0 1.5-1.500L18 7M10 11v6M14 11v6" />
  ),
  undo: <path d="M4 9h10.500a5.5 5.5 0 0 1 0 11H9M8 5 4 9l4 4" />,
  upload: <path d="M12 15V4m5 5-5-5-5 5M4 20h16" />,
  user: (
    <>
      <circle cx="12" cy="8" r="4" />
      <path d="M4.5 20.500a7.5 7.5 0 0 1 15 0" />
    </>
  ),
  warning: <path d="M12 4 2.5 20.500h19zM12 10v4.500M12 17.500h.01" />,
  webhooks: (
    <>
      <circle cx="6" cy="17" r="3" />
      <circle cx="18" cy="17" r="3" />
      <circle cx="12" cy="6.5" r="3" />
      <path d="M10.5 9 7.5 14.400M13.5 9l3 5.400M9 17h6" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof drawings;

/** Decorative: it stands beside words or in a labelled button. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}
