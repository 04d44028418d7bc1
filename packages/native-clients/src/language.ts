import { identifiersFor, stringLiteral, type Naming, type Quoting } from './identifiers.ts'
import type { Code, QueryCode, Union, ValueType } from './code.ts'

type PlainKind = 'text' | 'integer' | 'number' | 'flag' | 'date' | 'json'

export interface FieldModel {
  readonly identifier: string
  readonly key: string
  readonly type: ValueType
  /** The declared type, with `?` for an optional value, as in all these languages. */
  readonly declared: string
  readonly isOptional: boolean
}

export interface ConstantModel {
  readonly identifier: string
  readonly value: string
}

export interface CaseModel {
  readonly identifier: string
  readonly component: string
  readonly model: string
}

export interface QueryModel {
  readonly identifier: string
  readonly path: string
  readonly shows: QueryCode['shows']
  readonly model: string
  readonly parameters: readonly FieldModel[]
}

export interface Language {
  readonly naming: Naming
  /** For enumeration constants, if different from `naming`. */
  readonly constantNaming?: Naming
  readonly quoting: Quoting
  readonly types: Readonly<Record<PlainKind, string>>
  readonly listOf: (element: string) => string
  readonly head: string
  readonly tail?: string
  readonly enumeration: (name: string, constants: readonly ConstantModel[]) => string
  readonly model: (name: string, fields: readonly FieldModel[]) => string
  readonly union: (name: string, cases: readonly CaseModel[]) => string
  readonly queries: (queries: readonly QueryModel[]) => string
}

/** How a language decodes or encodes the values of each kind. */
export interface Readers extends Readonly<Record<PlainKind, (value: string) => string>> {
  readonly enumeration: (value: string, name: string) => string
  readonly entry: (value: string, name: string) => string
  readonly list: (value: string, read: string) => string
}

export function writeCode(code: Code, language: Language): string {
  const { naming, constantNaming = naming } = language
  const quoted = (text: string): string => stringLiteral(text, language.quoting)
  return [
    language.head,
    ...code.enumerations.map(({ name, values }) => {
      const constants = named(values, (value) => value, constantNaming)
      return language.enumeration(
        name,
        constants.map(([identifier, value]) => ({ identifier, value: quoted(value) })),
      )
    }),
    ...code.models.map(({ name, fields }) => language.model(name, nameFields(fields, language))),
    ...code.unions.map(({ name, cases }) => language.union(name, nameCases(cases, language))),
    language.queries(
      named(code.queries, ({ name }) => name, naming).map(([identifier, query]) => {
        return nameQuery(identifier, query, language)
      }),
    ),
    ...(language.tail === undefined ? [] : [language.tail]),
  ].join('\n')
}

export function readValue(type: ValueType, value: string, readers: Readers): string {
  if (type.kind === 'list') return readers.list(value, readValue(type.of, 'one', readers))
  if (type.kind === 'enumeration') return readers.enumeration(value, type.name)
  if (type.kind === 'model' || type.kind === 'union') return readers.entry(value, type.name)
  return readers[type.kind](value)
}

function nameFields(
  fields: readonly {
    readonly key: string
    readonly type: ValueType
    readonly isOptional: boolean
  }[],
  language: Language,
): readonly FieldModel[] {
  return named(fields, ({ key }) => key, language.naming).map(([identifier, field]) => {
    const { key, type, isOptional } = field
    const declared = `${typeName(type, language)}${isOptional ? '?' : ''}`
    return { identifier, key: stringLiteral(key, language.quoting), type, declared, isOptional }
  })
}

function nameCases(cases: Union['cases'], { naming, quoting }: Language): readonly CaseModel[] {
  return named(cases, ({ component }) => component, naming).map(([identifier, one]) => {
    return { identifier, component: stringLiteral(one.component, quoting), model: one.model }
  })
}

function nameQuery(identifier: string, query: QueryCode, language: Language): QueryModel {
  const { name, shows, model, parameters } = query
  const fields = parameters.map((parameter) => {
    return { key: parameter.name, type: parameter.type, isOptional: !parameter.isRequired }
  })
  const path = stringLiteral(`/api/_q/${name}`, language.quoting)
  return { identifier, path, shows, model, parameters: nameFields(fields, language) }
}

function typeName(type: ValueType, language: Language): string {
  if (type.kind === 'list') return language.listOf(typeName(type.of, language))
  return 'name' in type ? type.name : language.types[type.kind]
}

function named<Part>(
  parts: readonly Part[],
  textOf: (part: Part) => string,
  naming: Naming,
): readonly (readonly [string, Part])[] {
  const identifiers = identifiersFor(parts.map(textOf), naming)
  return parts.map((part, index) => [identifiers[index] ?? '', part])
}
