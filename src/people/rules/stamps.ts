/** The part of a compiled rule that names its stamps. A write loads no other part. */
interface Stamping {
  readonly rule: {
    readonly plan: { readonly uid: string }
    readonly stored: { readonly set?: object }
  }
}

/** Names an attribute that a role sets by the `set` of a rule. */
export function stampName(uid: string, attribute: string): string {
  return `${uid} ${attribute}`
}

export function stampsOf(held: readonly { readonly rules: readonly Stamping[] }[]): Set<string> {
  const all = held.flatMap(({ rules }) => rules.map(({ rule }) => rule))
  return new Set(
    all.flatMap(({ plan, stored: { set = {} } }) =>
      Object.keys(set).map((name) => stampName(plan.uid, name)),
    ),
  )
}
