export const targets = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;

export type Target = (typeof targets)[number];
