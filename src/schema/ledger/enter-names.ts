import { type ConversionKind, conversionKind } from './conversions.ts'
import { enterValues, type RenamedValues } from './enter-values.ts'
import { type Column, freeStoredName, type HolderLedger, takenNames } from './ledger.ts'
import { type AttributeType, nameType, isSameType } from './type-of-attribute.ts'

export interface DeclaredName extends AttributeType {
  readonly name: string
  readonly from: readonly string[]
  readonly renamedValues?: RenamedValues
}

export interface Retyped {
  readonly name: string
  /** Described in words, as is `to`. */
  readonly from: string
  readonly to: string
  /** The type stays the same, with another target or other components. */
  readonly isSameType: boolean
  /** The stored name of the values. */
  readonly stored: string
  readonly conversion: ConversionKind
  /** All types of the stored values (`typeOfAttribute`). */
  readonly formerTypes: readonly string[]
}

export interface EnteredNames {
  readonly ledger: HolderLedger
  readonly columns: ReadonlyMap<string, Column>
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  readonly added: readonly { readonly name: string; readonly stored: string }[]
  readonly retyped: readonly Retyped[]
  readonly faults: readonly { readonly name: string; readonly problem: string }[]
}

/**
 * An attribute gets the column that its `from` names, the column with its name, an unused column that once had its
 * name, or a new column, in this order.
 * @param isStored whether a type that the ledger does not know has values under a name
 */
export function enterNames(
  before: HolderLedger | undefined,
  declared: readonly DeclaredName[],
  isStored: (name: string) => boolean,
): EnteredNames {
  return new Assignment(before ?? { version: 0, columns: [] }, declared, isStored).run()
}

const NEW = ''

interface Source {
  readonly place: number
  /** The older name, or null if the rename is entered already. */
  readonly from: string | null
}

class Assignment {
  readonly #before: HolderLedger
  readonly #declared: readonly DeclaredName[]
  readonly #isStored: (name: string) => boolean
  readonly #columns: Column[]
  readonly #given = new Map<string, number>()
  readonly #renamed: { from: string; to: string }[] = []
  readonly #faults: { name: string; problem: string }[] = []

  constructor(
    before: HolderLedger,
    declared: readonly DeclaredName[],
    isStored: (name: string) => boolean,
  ) {
    this.#before = before
    this.#declared = declared
    this.#isStored = isStored
    this.#columns = [...before.columns]
  }

  run(): EnteredNames {
    this.#applyRenames()
    this.#give((name, column) => column.names.at(-1) === name)
    for (const [name, place] of this.#give((name, column) => column.names.includes(name))) {
      this.#nameAgain(place, name)
    }
    for (const { name } of this.#missing()) {
      this.#assertClear(name)
      this.#given.set(name, this.#add(freeStoredName(name, takenNames(this.#columns)), [name]))
    }
    const retyped = this.#retype()
    const used = new Set(this.#given.values())
    const columns = this.#columns.map((column, place): Column => {
      const isLive = used.has(place)
      if (column.isLive === isLive && column.returnedFrom === undefined) return column
      const { returnedFrom: _over, ...rest } = column
      return { ...rest, isLive }
    })
    const isChanged = this.#columns.some((column, place) => column !== this.#before.columns[place])
    const version = this.#before.version + (isChanged ? 1 : 0)
    return {
      ledger: { version, columns },
      columns: new Map(
        [...this.#given].flatMap(([name, place]) => {
          const column = columns[place]
          return column === undefined ? [] : [[name, column] as const]
        }),
      ),
      renamed: this.#renamed,
      added: this.#columns
        .slice(this.#before.columns.length)
        .map(({ names, stored }) => ({ name: names.at(-1) ?? stored, stored })),
      retyped,
      faults: this.#faults,
    }
  }

  /** Finds the renamed columns first, so that two attributes can swap their names. */
  #applyRenames(): void {
    const sources = new Map<string, Source>()
    for (const { name, from } of this.#declared) {
      const source = this.#sourceOf(
        name,
        from,
        new Set([...sources.values()].map((one) => one.place)),
      )
      if (source !== null) sources.set(name, source)
    }
    for (const [name, { place, from }] of sources) {
      this.#given.set(name, place)
      if (from !== null) this.#rename(place, from, name)
    }
    for (const [name, { from }] of sources) {
      if (from !== null) this.#assertFree(name, from)
    }
  }

  #sourceOf(name: string, from: readonly string[], taken: ReadonlySet<number>): Source | null {
    if (from.length === 0) return null
    const own = this.#newest((column) => column.names.at(-1) === name, taken)
    const isDone = own !== null && from.some((source) => isNameOf(source, this.#columns[own]))
    if (isDone && !this.#isRenamedAgain(own, from, taken)) return { place: own, from: null }
    if (this.#before.columns.length === 0) {
      const source = from.find(this.#isStored)
      if (source === undefined) return null
      const place = this.#add(source, [source])
      return { place, from: source }
    }
    for (const source of from) {
      const place =
        this.#newest((column) => column.names.at(-1) === source, taken) ??
        this.#newest((column) => isNameOf(source, column), taken)
      if (place !== null) return { place, from: source }
    }
    return null
  }

  /** An attribute of the last release has an older name, and the earlier one with the new name is gone. */
  #isRenamedAgain(own: number, from: readonly string[], taken: ReadonlySet<number>): boolean {
    if (this.#columns[own]?.isLive === true) return false
    const declared = new Set(this.#declared.map(({ name }) => name))
    const sources = new Set(from.filter((source) => !declared.has(source)))
    return (
      this.#newest(({ isLive, names }) => isLive && sources.has(names.at(-1) ?? ''), taken) !== null
    )
  }

  #assertFree(name: string, source: string): void {
    const given = new Set(this.#given.values())
    const isHeld = this.#before.columns.some(
      (column, place) => column.isLive && column.names.at(-1) === name && !given.has(place),
    )
    if (!isHeld) return
    const problem = `${name} has values of its own; remove it in an earlier release before ${source} gets its name`
    this.#faults.push({ name, problem })
  }

  /** After a roll-back, a name of the newer release may stand for its values or for new ones. */
  #assertClear(name: string): void {
    const place = this.#columns.findIndex(({ returnedFrom }) => returnedFrom === name)
    const taker = this.#declared.find((one) => this.#given.get(one.name) === place)
    if (place < 0 || taker === undefined || taker.from.includes(taker.name)) return
    const problem = `an older release was started last, where the values of ${name} are those of ${taker.name}; add "from": "${taker.name}" to the declaration that has them now`
    this.#faults.push({ name, problem })
  }

  #retype(): EnteredNames['retyped'] {
    return this.#declared.flatMap((declared) => {
      const { name } = declared
      const place = this.#given.get(name) ?? -1
      const column = this.#columns[place]
      if (column === undefined || isSameType(column, declared)) return []
      const retyped = column.type === NEW ? [] : retypedOf(column, declared, name)
      this.#assertValues(declared, column)
      if (retyped[0]?.conversion !== 'none') this.#columns[place] = this.#withType(column, declared)
      else
        this.#given.set(
          name,
          this.#add(freeStoredName(name, takenNames(this.#columns)), [name], declared),
        )
      return retyped
    })
  }

  #withType(column: Column, to: DeclaredType): Column {
    return withType(column, to, this.#before.version + 1)
  }

  #assertValues({ name, type, members = [], renamedValues = [] }: DeclaredName, column: Column) {
    if (type !== 'enumeration' || column.type !== type) return
    if (column.members === undefined && renamedValues.length > 0) {
      const problem = 'the ledger does not know the values yet; start once without older values'
      this.#faults.push({ name, problem })
    }
    const { problems } = enterValues(column.values ?? [], members, renamedValues)
    this.#faults.push(...problems.map((problem) => ({ name, problem })))
  }

  #rename(place: number, source: string, name: string): void {
    this.#nameAgain(place, name)
    this.#renamed.push({ from: source, to: name })
  }

  #nameAgain(place: number, name: string): void {
    const column = this.#columns[place]
    if (column === undefined) return
    this.#columns[place] = withName(column, name, this.#before.version + 1)
  }

  #give(fits: (name: string, column: Column) => boolean): ReadonlyMap<string, number> {
    const given = new Map<string, number>()
    for (const { name } of this.#missing()) {
      const place = this.#newest((column) => fits(name, column))
      if (place === null) continue
      this.#given.set(name, place)
      given.set(name, place)
    }
    return given
  }

  #missing(): readonly DeclaredName[] {
    return this.#declared.filter(({ name }) => !this.#given.has(name))
  }

  #newest(
    fits: (column: Column) => boolean,
    taken: ReadonlySet<number> = new Set(this.#given.values()),
  ): number | null {
    let newest: number | null = null
    for (const [place, column] of this.#columns.entries()) {
      if (taken.has(place) || !fits(column)) continue
      if (newest === null || column.since >= (this.#columns[newest]?.since ?? 0)) newest = place
    }
    return newest
  }

  #add(stored: string, names: readonly string[], type: DeclaredType = { type: NEW }): number {
    const since = this.#before.version + 1
    const typed = { ...typeIn(type), ...valuesIn({}, type) }
    return this.#columns.push({ stored, names, since, ...typed, isLive: true }) - 1
  }
}

/** The last name is the current one. */
export function withName(column: Column, name: string, since: number): Column {
  return { ...column, names: [...column.names.filter((other) => other !== name), name], since }
}

/** Returns an empty list if further members are the only change. */
export function retypedOf(column: Column, to: AttributeType, name: string): readonly Retyped[] {
  const conversion = conversionKind(column, to)
  const isSame = column.type === to.type
  if (isSame && conversion === 'equal') return []
  return [
    {
      name,
      from: nameType(column, to),
      to: nameType(to, column),
      isSameType: isSame,
      stored: column.stored,
      conversion,
      formerTypes: [...(column.formerTypes ?? []), column.type],
    },
  ]
}

export type DeclaredType = AttributeType & Pick<DeclaredName, 'renamedValues'>

export function withType(column: Column, to: DeclaredType, version: number): Column {
  const { members: _former, ...rest } = column
  const typed = { ...rest, ...typeIn(to), ...valuesIn(column, to) }
  if (column.type === NEW || conversionKind(column, to) !== 'checked') return typed
  const formerTypes = [...new Set([...(column.formerTypes ?? []), column.type])]
  return { ...typed, formerTypes, convertedAt: version, isConverting: true }
}

function valuesIn({ values = [] }: Pick<Column, 'values'>, to: DeclaredType) {
  const { type, members = [], renamedValues = [] } = to
  if (type !== 'enumeration') return {}
  return { values: enterValues(values, members, renamedValues).values }
}

function typeIn({ type, members }: AttributeType): AttributeType {
  return members === undefined ? { type } : { type, members }
}

/** A source may also be a stored name such as `title~2`, where an attribute name is ambiguous. */
function isNameOf(source: string, column: Column | undefined): boolean {
  if (column === undefined) return false
  const { names, stored, formerStored = [] } = column
  return [...names, stored, ...formerStored].includes(source)
}
