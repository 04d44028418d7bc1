export type ElementKey = string | number

/** The operations of a patch, one per attribute. */
export type Operation =
  | { readonly set: unknown }
  | { readonly inc: number }
  | { readonly connect?: readonly Connection[]; readonly disconnect?: readonly string[] }
  | {
      readonly remove?: readonly ElementKey[]
      readonly move?: readonly Move[]
      readonly append?: readonly Readonly<Record<string, unknown>>[]
    }

export interface Connection {
  readonly documentId: string
  /** The target before it, null for the start. Absent for the end. */
  readonly after?: string | null
}

export interface Move {
  readonly key: ElementKey
  /** The element before it, null for the start. */
  readonly after: ElementKey | null
}

export interface AppliedOperation {
  readonly value: unknown
  /** False if an element took its place at the end, because the one before it is missing. */
  readonly isPlaced: boolean
}

/** Applies an operation to the value of an attribute, in the shape of sync rows. */
export function applyOperation(
  value: unknown,
  operation: Operation,
  keyOf: (element: unknown) => ElementKey | null,
): AppliedOperation {
  if ('set' in operation) return { value: operation.set, isPlaced: true }
  if ('inc' in operation) {
    return { value: (typeof value === 'number' ? value : 0) + operation.inc, isPlaced: true }
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return isConnecting(operation)
    ? connectTargets(list, operation)
    : changeElements(list, operation, keyOf)
}

/** The key of a component is its id; in dynamic zones the uid comes first. New elements have none. */
export function elementKeyOf(element: unknown): ElementKey | null {
  if (typeof element !== 'object' || element === null) return null
  const id = 'id' in element ? element.id : undefined
  if (typeof id !== 'number') return null
  return '__component' in element ? `${String(element.__component)}:${id}` : id
}

type ListOperation = Exclude<Operation, { readonly set: unknown } | { readonly inc: number }>
type ConnectOperation = Extract<ListOperation, { readonly connect?: unknown }>
type ElementOperation = Exclude<ListOperation, ConnectOperation>

function isConnecting(operation: ListOperation): operation is ConnectOperation {
  return 'connect' in operation || 'disconnect' in operation
}

function connectTargets(
  list: readonly unknown[],
  { connect = [], disconnect = [] }: ConnectOperation,
): AppliedOperation {
  let isPlaced = true
  let targets: readonly unknown[] = list.filter((id) => !disconnect.some((one) => one === id))
  for (const { documentId, after } of connect) {
    const others = targets.filter((id) => id !== documentId)
    const at = after === undefined ? others.length : placeAfter(after, (key) => others.indexOf(key))
    if (at === null) isPlaced = false
    targets = inserted(others, documentId, at)
  }
  return { value: targets, isPlaced }
}

function changeElements(
  list: readonly unknown[],
  { remove = [], move = [], append = [] }: ElementOperation,
  keyOf: (element: unknown) => ElementKey | null,
): AppliedOperation {
  let isPlaced = true
  const hasKey = (key: ElementKey) => (element: unknown) => keyOf(element) === key
  let elements: readonly unknown[] = list.filter(
    (element) => !remove.some((key) => hasKey(key)(element)),
  )
  for (const { key, after } of move) {
    const moved = elements.find(hasKey(key))
    if (moved === undefined) continue
    const others = elements.filter((element) => element !== moved)
    const at = placeAfter(after, (each) => others.findIndex(hasKey(each)))
    if (at === null) isPlaced = false
    elements = inserted(others, moved, at)
  }
  return { value: [...elements, ...append], isPlaced }
}

/** Null if the element before it is missing. */
function placeAfter<Key>(after: Key | null, find: (key: Key) => number): number | null {
  if (after === null) return 0
  const index = find(after)
  return index === -1 ? null : index + 1
}

function inserted(list: readonly unknown[], item: unknown, at: number | null): readonly unknown[] {
  const place = at ?? list.length
  return [...list.slice(0, place), item, ...list.slice(place)]
}
