import { SchemaError } from '../../base/errors.ts'
import { nameProblem } from '@quire/schema/names'
import { findContradictions } from './check-attribute.ts'
import { findNameFaults } from './check-names.ts'
import { checkQuery } from './check-query.ts'
import {
  type DeclaredTypes,
  findEndlessComponents,
  findReferenceFaults,
} from './check-references.ts'
import { plainAttribute } from './custom-field.ts'
import { findAttributeFaults, findDeclarationFaults, findUnknownKeys } from './declaration-shape.ts'
import { findIndexFaults, findOwnIndexFaults } from './declared-indexes.ts'
import { findFilterableFaults } from './filterable.ts'
import { findWarnings } from './find-warnings.ts'
import type {
  AttributeDefinition,
  ContentTypeDefinition,
  DeclarationFault,
  DeclarationFile,
  Definitions,
} from '../definition.ts'
import { leaveOut } from './leave-out.ts'
import { isMorphRelation } from './morph-relation.ts'
import {
  type Declaration,
  type ParsedFile,
  toComponents,
  toContentTypes,
} from './to-definitions.ts'

interface HolderFile extends DeclarationFile {
  readonly kind: 'contentType' | 'component'
}

interface CheckedFile extends ParsedFile {
  readonly file: HolderFile
  readonly faults: readonly DeclarationFault[]
  readonly brokenNames: readonly string[]
  readonly warnings: readonly DeclarationFault[]
}

/**
 * Adds defaults and built-in types. A file for a built-in type adds attributes to it.
 * @throws SchemaError with all faults, each with its file and path
 */
export function checkDefinitions(
  files: readonly DeclarationFile[],
  builtIn: readonly ContentTypeDefinition[] = [],
): Definitions {
  const checked = files.filter(isHolder).map(checkFile)
  const named = files.filter(({ kind }) => kind === 'query').map(checkQuery)
  const { declared, leftOut } = leaveOut(declare(checked, builtIn))
  const faults = [
    ...reportAll(checked, ({ faults }) => faults),
    ...named.flatMap(({ file, faults }) => faults.map((fault) => report(file, fault))),
    ...duplicateUids(files),
    ...findCrossFaults(declared),
  ]
  if (faults.length > 0) throw new SchemaError(faults)
  const { contentTypes, components } = declared
  const warnings = [
    ...reportAll(checked, ({ warnings }) => warnings),
    ...leftOut.map(({ holder, attribute, why }) =>
      report(holder.file, { path: `attributes.${attribute}`, problem: why }),
    ),
    ...findWarnings(contentTypes),
  ]
  const queries = named.flatMap(({ query }) => query ?? [])
  return { contentTypes, components, ...(queries.length > 0 && { queries }), warnings }
}

function isHolder(file: DeclarationFile): file is HolderFile {
  return file.kind !== 'query'
}

function checkFile(file: HolderFile): CheckedFile {
  const nothing = { file, declaration: null, attributes: {}, brokenNames: [], warnings: [] }
  if (file.fault !== undefined) return { ...nothing, faults: [{ path: '', problem: file.fault }] }
  const faults = findDeclarationFaults(file.content)
  if (!isReadable(faults)) return { ...nothing, faults }
  const declaration = withoutFaults(file.content as object, faults)
  const entries = Object.entries(declaration.attributes ?? {}).map(
    ([name, content]) => [name, plainAttribute(content)] as const,
  )
  const names = entries.map(([name]) => name)
  const leftOut = entries.flatMap(([name, content]) => {
    const why = leftOutReason(name, content, file.kind)
    return why === null ? [] : [{ name, why }]
  })
  const attributes = entries
    .filter(([name]) => leftOut.every((one) => one.name !== name))
    .map(([name, content]) => {
      return { name, content, faults: checkAttribute(name, content, file, names) }
    })
  const isFine = (one: { readonly faults: readonly unknown[] }): boolean => one.faults.length === 0
  const fine = attributes.filter(isFine)
  const broken = attributes.filter((attribute) => !isFine(attribute))
  return {
    file,
    declaration,
    faults: [...faults, ...attributes.flatMap((attribute) => attribute.faults)],
    attributes: Object.fromEntries(
      fine.map(({ name, content }) => [name, content as AttributeDefinition]),
    ),
    brokenNames: [...broken.map(({ name }) => name), ...leftOut.map(({ name }) => name)],
    warnings: [
      ...leftOut.map(({ name, why }) => ({ path: `attributes.${name}`, problem: why })),
      ...fine.flatMap(({ name, content }) => findUnknownKeys(content, `attributes.${name}`)),
    ],
  }
}

/** Dates that the server sets. Projects of the reference may declare them. */
const SERVER_DATES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'publishedAt'])

function leftOutReason(name: string, content: unknown, kind: HolderFile['kind']): string | null {
  if (isMorphRelation(content)) {
    return 'polymorphic relations are not supported; the attribute is left out'
  }
  const isDate = (content as { readonly type?: unknown } | null)?.type === 'datetime'
  if (kind !== 'contentType' || !SERVER_DATES.has(name) || !isDate) return null
  return 'the server sets this date; the declared attribute is left out'
}

function isReadable(faults: readonly DeclarationFault[]): boolean {
  return faults.every(({ path }) => path !== '' && path !== 'attributes')
}

function withoutFaults(content: object, faults: readonly DeclarationFault[]): Declaration {
  const faulty = new Set(faults.map(({ path }) => path.split('.')[0]))
  return Object.fromEntries(Object.entries(content).filter(([key]) => !faulty.has(key)))
}

function checkAttribute(
  name: string,
  content: unknown,
  { kind }: HolderFile,
  names: readonly string[],
): readonly DeclarationFault[] {
  const path = `attributes.${name}`
  const problem = nameProblem(name, kind)
  const faults = [
    ...(problem === null ? [] : [{ path, problem }]),
    ...findAttributeFaults(content, path),
  ]
  if (faults.length > 0) return faults
  const definition = content as AttributeDefinition
  const contradictions = [
    ...findContradictions(definition, names),
    ...findOwnIndexFaults(definition, kind),
  ]
  return contradictions.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }))
}

function declare(
  checked: readonly CheckedFile[],
  builtIn: readonly ContentTypeDefinition[],
): DeclaredTypes {
  const types = checked.filter(({ file }) => file.kind === 'contentType').flatMap(toContentTypes)
  const builtInUids = new Set(builtIn.map(({ uid }) => uid))
  return {
    contentTypes: [
      ...types.filter(({ uid }) => !builtInUids.has(uid)),
      ...builtIn.map((type) => extend(type, types)),
    ],
    components: checked.filter(({ file }) => file.kind === 'component').flatMap(toComponents),
    brokenUids: new Set(
      checked.flatMap(({ file, declaration }) => (declaration === null ? [file.uid] : [])),
    ),
    brokenAttributes: new Set(
      checked.flatMap(({ file, brokenNames }) => brokenNames.map((name) => `${file.uid} ${name}`)),
    ),
  }
}

/** Adds the declared attributes to a type of the server. They cannot replace its attributes. */
function extend(
  type: ContentTypeDefinition,
  declared: readonly ContentTypeDefinition[],
): ContentTypeDefinition {
  const extension = declared.find(({ uid }) => uid === type.uid)
  if (extension === undefined) return type
  const attributes = { ...type.attributes, ...extension.attributes, ...type.attributes }
  return { ...type, file: extension.file, attributes }
}

function findCrossFaults(declared: DeclaredTypes): readonly string[] {
  const { contentTypes, components } = declared
  return [
    ...contentTypes.flatMap((type) => [
      ...findNameFaults(type, contentTypes).map((fault) => report(type.file, fault)),
      ...findReferenceFaults(type, declared).map((fault) => report(type.file, fault)),
      ...findIndexFaults(type, components).map((fault) => report(type.file, fault)),
      ...findFilterableFaults(type, declared).map((fault) => report(type.file, fault)),
    ]),
    ...components.flatMap((component) => {
      return findReferenceFaults(component, declared).map((fault) => report(component.file, fault))
    }),
    ...findEndlessComponents(components).map(({ component, attribute }) => {
      const problem = 'requires a component that requires this one again; make it optional'
      return report(component.file, { path: `attributes.${attribute}`, problem })
    }),
  ]
}

function duplicateUids(files: readonly DeclarationFile[]): readonly string[] {
  return files.flatMap(({ uid, file }, index) => {
    const earlier = files.slice(0, index).find((other) => other.uid === uid)
    return earlier === undefined ? [] : [`${file}: ${uid} is declared in ${earlier.file} already`]
  })
}

function reportAll(
  checked: readonly CheckedFile[],
  of: (file: CheckedFile) => readonly DeclarationFault[],
): readonly string[] {
  return checked.flatMap((one) => of(one).map((fault) => report(one.file.file, fault)))
}

function report(file: string, { path, problem }: DeclarationFault): string {
  return path === '' ? `${file}: ${problem}` : `${file}: ${path}: ${problem}`
}
