import type { Data } from './data.ts'
import type { Attribute, Attributes, Components } from '../api/attributes.ts'
import { movesBetween } from './link-moves.ts'
import { isSameValue } from './same-value.ts'
import {
  type ComponentValue,
  componentUid,
  type KeyRing,
  type Links,
  listOf,
  NO_LINKS,
  toFormValues,
  type Reading,
  type FormValues,
} from './values.ts'

/**
 * The response to a write as the new base of the form. New components keep their keys, because the
 * response has them at the same positions.
 */
export function readAnswer(
  attributes: Attributes,
  sent: FormValues,
  answer: Data,
  reading: Reading,
): FormValues {
  learnKeys(attributes, sent, answer, reading)
  return toFormValues(attributes, answer, reading)
}

function learnKeys(attributes: Attributes, sent: FormValues, answer: Data, reading: Reading): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') continue
    const mine = listOf(sent[name]) as readonly ComponentValue[]
    const theirs = listOf(answer[name]) as readonly Data[]
    if (mine.length === theirs.length) learnElements(attribute, mine, theirs, reading)
  }
}

function learnElements(
  attribute: Attribute,
  mine: readonly ComponentValue[],
  theirs: readonly Data[],
  reading: Reading,
): void {
  mine.forEach((element, index) => {
    const answered = theirs[index]
    if (answered === undefined) return
    const uid = componentUid(attribute, element)
    if (uid !== componentUid(attribute, answered)) return
    learn(reading.keys, uid, element, answered)
    learnKeys(reading.components.get(uid)?.attributes ?? {}, element, answered, reading)
  })
}

function learn(keys: KeyRing, uid: string, element: ComponentValue, answered: Data): void {
  const id = answered['id'] as number
  if (element.id !== id) keys.learn(uid, id, element.$key)
}

/**
 * The form after a write: attributes that changed during the request keep their new values, all
 * others get the server's.
 */
export function adoptAnswer(
  attributes: Attributes,
  {
    current,
    sent,
    base,
  }: { readonly current: FormValues; readonly sent: FormValues; readonly base: FormValues },
  components: Components,
): FormValues {
  const changed = Object.keys(attributes).filter((name) => {
    const attribute = attributes[name]
    if (attribute === undefined || current[name] !== sent[name]) return false
    return !isSameValue(attribute, current[name], base[name], components)
  })
  const grown = Object.keys(attributes).filter((name) => {
    const links = base[name] as Links | null
    return attributes[name]?.type === 'relation' && links?.more === true && !changed.includes(name)
  })
  const moved = grown.filter((name) => current[name] !== sent[name])
  if (changed.length === 0 && moved.length === 0) return current
  const rebased = moved.map((name): [string, Links] => [name, rebase(base, sent, current, name)])
  return { ...current, ...pick(base, changed), ...Object.fromEntries<unknown>(rebased) }
}

/** Applies the moves made since the request to the relation that the server returned. */
function rebase(base: FormValues, sent: FormValues, current: FormValues, name: string): Links {
  const before = (sent[name] as Links | null) ?? NO_LINKS
  const after = (current[name] as Links | null) ?? NO_LINKS
  return { ...(base[name] as Links), moves: movesBetween(before, after) }
}

function pick(values: FormValues, names: readonly string[]): FormValues {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}
