import type { DeclarationChanges, DeclaredFile, Json } from '../../api/declarations.ts'
import { type AttributeNames, withAttributeNames } from './attribute-references.ts'
import { withValueRenames } from './value-renames.ts'
import { withRenamedConditions } from './renamed-condition.ts'
import { contentOf, type Draft, type DraftAttribute, readAt, textIn, writeAt } from './draft.ts'

type Attributes = Readonly<Record<string, Json>>

/** The attributes of each declaration that a relation can target, by uid, in order. */
type Sides = Map<string, Attributes>

const OTHER_KIND: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
}

/**
 * The files that change when a draft is saved: its own, and those at the other side of its
 * relations. References to a renamed attribute use its new name.
 */
export function changesOf(draft: Draft, files: readonly DeclaredFile[]): DeclarationChanges {
  const sides: Sides = new Map(files.map(({ uid, content }) => [uid, attributesOf(content)]))
  const before = sides.get(draft.uid) ?? {}
  const own = contentOf(withSides(renamed(withRenamedValues(draft), before)))
  sides.set(draft.uid, attributesOf(own))
  if (draft.kind === 'contentType') {
    leaveSides(draft, before, sides)
    for (const { name } of draft.attributes) joinSide(draft.uid, name, sides)
  }
  const others = files
    .filter(({ uid }) => uid !== draft.uid)
    .flatMap(({ uid, content }) => {
      const attributes = sides.get(uid) ?? {}
      const there = attributesOf(content)
      if (isSame(attributes, there)) return []
      const names = renamedSides(draft, before, uid)
      const nameOf: AttributeNames = (name) =>
        names.get(name) ?? (name in there && !(name in attributes) ? null : name)
      const listed = Object.entries(there).map(([was, options]) => ({ was, options }))
      return [[uid, { ...withAttributeNames(content ?? {}, listed, { uid, nameOf }), attributes }]]
    })
  return {
    [draft.uid]: { ...own, attributes: sides.get(draft.uid) },
    ...(Object.fromEntries(others) as DeclarationChanges),
  }
}

/** The new names of the other sides in a type, by their names in its file. */
function renamedSides(draft: Draft, before: Attributes, uid: string): ReadonlyMap<string, string> {
  const names = draft.attributes.flatMap(({ was, options, otherSide }) => {
    const { target, other } = linkOf(before[was ?? ''] ?? {})
    const isSame = target === uid && options['target'] === uid
    return isSame && other !== '' && otherSide !== null ? [[other, otherSide] as const] : []
  })
  return new Map(names)
}

function attributesOf(content: Json | null): Attributes {
  return (content?.['attributes'] ?? {}) as Attributes
}

function isSame(one: Attributes, other: Attributes): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function withRenamedValues(draft: Draft): Draft {
  const attributes = withRenamedConditions(draft.attributes).map((attribute) => {
    return { ...attribute, options: withValueRenames(attribute) }
  })
  return { ...draft, attributes }
}

/** The relations with the name of their attribute on the target. */
function withSides(draft: Draft): Draft {
  return { ...draft, attributes: draft.attributes.map(withSide) }
}

function withSide(attribute: DraftAttribute): DraftAttribute {
  const { options, otherSide } = attribute
  if (options['type'] !== 'relation') return attribute
  if (otherSide === null) {
    const { mappedBy: _inverse, inversedBy: _owner, ...alone } = options
    return { ...attribute, options: alone }
  }
  const relation = textIn(options, 'relation') ?? ''
  const isInverse =
    relation === 'oneToMany' ||
    (relation !== 'manyToOne' && typeof options['mappedBy'] === 'string')
  const [key, gone] = isInverse ? ['mappedBy', 'inversedBy'] : ['inversedBy', 'mappedBy']
  return { ...attribute, options: { ...without(options, gone), [key]: otherSide } }
}

function without(options: Json, key: string): Json {
  return Object.fromEntries(Object.entries(options).filter(([one]) => one !== key))
}

/**
 * Handles relations that were removed or retargeted: an inverse side is deleted too, an owning side
 * becomes one-way.
 */
function leaveSides({ uid, attributes }: Draft, before: Attributes, sides: Sides): void {
  for (const [name, options] of Object.entries(before)) {
    const { target, other } = linkOf(options)
    const now = attributes.find(({ was }) => was === name)
    if (now?.otherSide === other && now.options['target'] === target) continue
    const there = sides.get(target) ?? {}
    const pointing = there[other]
    if (pointing?.['target'] !== uid) continue
    const left =
      pointing['mappedBy'] === name
        ? without(there, other)
        : { ...there, [other]: without(pointing, 'inversedBy') }
    sides.set(target, left as Attributes)
  }
}

/** The target of a relation and the attribute on its other side; empty if there is none. */
function linkOf(options: Json): { readonly target: string; readonly other: string } {
  const other = textIn(options, 'mappedBy') ?? textIn(options, 'inversedBy') ?? ''
  return { target: textIn(options, 'target') ?? '', other }
}

function joinSide(uid: string, name: string, sides: Sides): void {
  const own = sides.get(uid)?.[name] ?? {} // deleted together with its other side
  const { target, other } = linkOf(own)
  const there = sides.get(target)
  if (other === '' || there === undefined) return
  const isInverse = own['mappedBy'] !== undefined
  const [key, gone] = isInverse ? ['inversedBy', 'mappedBy'] : ['mappedBy', 'inversedBy']
  const relation = OTHER_KIND[textIn(own, 'relation') ?? '']
  const kept = without(there[other] ?? {}, gone)
  sides.set(target, {
    ...there,
    [other]: { ...kept, type: 'relation', relation, target: uid, [key]: name },
  })
}

/** The names of the attributes of a file after its edit. An attribute can replace a removed one. */
function namesAfter(draft: Draft, before: Attributes): AttributeNames {
  const names = new Map(
    draft.attributes.flatMap(({ was, name }) => (was === null ? [] : [[was, name]])),
  )
  const now = new Set(draft.attributes.map(({ name }) => name))
  return (name) => names.get(name) ?? (name in before && !now.has(name) ? null : name)
}

function renamed(draft: Draft, before: Attributes): Draft {
  const nameOf = namesAfter(draft, before)
  if (Object.keys(before).every((name) => nameOf(name) === name)) return draft
  const names = new Map(
    draft.attributes.flatMap(({ was, name }) =>
      was === null || was === name ? [] : [[was, name]],
    ),
  )
  const now = (name: string): string => names.get(name) ?? name
  const { uid, attributes } = draft
  const rest = withAdoptedPaths(draft.rest, names)
  return {
    ...draft,
    rest: withAttributeNames(rest, attributes, { uid, nameOf }),
    attributes: attributes.map((attribute) => renamedOptions(attribute, draft, now)),
  }
}

/** Another service names the members of an adopted collection, so each attribute keeps its path. */
function withAdoptedPaths(rest: Json, names: ReadonlyMap<string, string>): Json {
  if (rest['adopt'] === undefined || names.size === 0) return rest
  const paths = (readAt(rest, 'adopt', 'paths') ?? {}) as Json
  const implied = [...names.keys()].filter((was) => paths[was] === undefined)
  const added = Object.fromEntries(implied.map((was) => [was, was]))
  return writeAt(rest, ['adopt', 'paths'], { ...paths, ...added })
}

function renamedOptions(
  attribute: DraftAttribute,
  { uid, rest }: Draft,
  now: (path: string) => string,
): DraftAttribute {
  const { otherSide } = attribute
  const options = rest['adopt'] === undefined ? withOlderName(attribute) : attribute.options
  const target = textIn(options, 'targetField')
  if (target !== undefined) {
    return { ...attribute, options: { ...options, targetField: now(target) } }
  }
  const isOwnSide = otherSide !== null && options['target'] === uid
  return { ...attribute, options, otherSide: isOwnSide ? now(otherSide) : otherSide }
}

/** Adds the older name of a renamed attribute, so that it keeps its values. */
function withOlderName({ name, was, options }: DraftAttribute): Json {
  if (was === null || was === name) return options
  const older = [was, ...[options['from'] ?? []].flat()].filter((one) => one !== name)
  return { ...options, from: older.length === 1 ? older[0] : older }
}
