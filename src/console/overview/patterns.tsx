/** Fills of charts. Each has a pattern too, so that they do not differ by colour alone. */
export const fills = {
  available: "url(#fill-available)",
  pending: "url(#fill-pending)",
  sold: "url(#fill-sold)",
} as const;

/** Definitions for all charts of the page. */
export function Patterns() {
  return (
    <svg className="patterns" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="fill-available" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect className="fill available" width="8" height="8" />
        </pattern>
        <pattern id="fill-pending" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect className="fill pending" width="8" height="8" />
          <circle className="gap" cx="4" cy="4" r="1.6" />
        </pattern>
        <pattern id="fill-sold" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="fill sold" width="6" height="6" />
          <rect className="gap" width="1.8" height="6" />
        </pattern>
      </defs>
    </svg>
  );
}

export function Swatch({ of }: { of: keyof typeof fills }) {
  return (
    <svg className="swatch" width="14" height="14" aria-hidden="true">
      <rect width="14" height="14" rx="3.5" fill={fills[of]} />
    </svg>
  );
}
