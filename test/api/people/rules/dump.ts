export type Status = 'draft' | 'published'

/** One stored version. Types without drafts have published versions only. */
export interface Version {
  readonly type: string
  readonly documentId: string
  readonly status: Status
  /** Relations are lists of documentIds and stand on their owning side only. */
  readonly values: Readonly<Record<string, unknown>>
}

export interface Relation {
  readonly target: string
  readonly isToMany: boolean
  /** The attribute of the target that stores this relation. */
  readonly mappedBy?: string
}

export interface Dump {
  readonly versions: readonly Version[]
  /** Relations by type and attribute. */
  readonly relations: Readonly<Record<string, Readonly<Record<string, Relation>>>>
  readonly withDrafts: ReadonlySet<string>
}

export function relationOf(dump: Dump, type: string, attribute: string): Relation | undefined {
  return dump.relations[type]?.[attribute]
}

/** Whether a read in this status reads this version. */
export function isIn(dump: Dump, { type, status }: Version, at: Status): boolean {
  return status === (dump.withDrafts.has(type) ? at : 'published')
}

/** The documentIds of a relation, whether or not these documents exist. */
export function idsBehind(
  dump: Dump,
  version: Version,
  attribute: string,
  at: Status,
): readonly string[] {
  const { target, mappedBy } = relationOf(dump, version.type, attribute) ?? {}
  if (mappedBy === undefined) return toIds(version.values[attribute])
  return dump.versions
    .filter((one) => one.type === target && isIn(dump, one, at))
    .filter(({ values }) => toIds(values[mappedBy]).includes(version.documentId))
    .map(({ documentId }) => documentId)
}

/** The related versions that exist in this status. */
export function follow(
  dump: Dump,
  version: Version,
  attribute: string,
  at: Status,
): readonly Version[] {
  const target = relationOf(dump, version.type, attribute)?.target
  return idsBehind(dump, version, attribute, at).flatMap((id) =>
    dump.versions.filter(
      (one) => one.type === target && one.documentId === id && isIn(dump, one, at),
    ),
  )
}

function toIds(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
