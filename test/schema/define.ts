import { BUILT_IN_TYPES } from '../../src/schema/built-in-types.ts'
import { checkDefinitions } from '../../src/schema/check/check.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { DeclarationFile, Definitions } from '../../src/schema/definition.ts'
import type { Schema, Validators } from '../../src/schema/plan.ts'

type Attributes = Readonly<Record<string, object>>

/** A content-type file. */
export function typeFile(name: string, attributes: Attributes, more: object = {}): DeclarationFile {
  return {
    file: `content-types/${name}.json`,
    kind: 'contentType',
    uid: `api::${name}.${name}`,
    content: { attributes, ...more },
  }
}

/** A component file. */
export function componentFile(uid: string, attributes: Attributes): DeclarationFile {
  const file = `content-types/components/${uid.replace('.', '/')}.json`
  return { file, kind: 'component', uid, content: { attributes } }
}

export function define(...files: readonly DeclarationFile[]): Definitions {
  return checkDefinitions(files, BUILT_IN_TYPES)
}

/** As a database with or without change streams enters them. */
export function asFollowed(definitions: Definitions, isFollowed = true): Definitions {
  const contentTypes = definitions.contentTypes.map((type) =>
    type.adopt === undefined ? type : { ...type, adopt: { ...type.adopt, isFollowed } },
  )
  return { ...definitions, contentTypes }
}

export function compile(...files: readonly DeclarationFile[]): Schema {
  return compileSchema(define(...files))
}

/** Compiles the validators of a type with these attributes and components. */
export function validatorsOf(
  attributes: Attributes,
  components: Readonly<Record<string, Attributes>> = {},
  options: { readonly draftAndPublish?: boolean } = {},
): Validators {
  const files = Object.entries(components).map(([uid, inner]) => componentFile(uid, inner))
  const plan = compile(typeFile('thing', attributes, { options }), ...files).contentTypes.get(
    'api::thing.thing',
  )
  if (plan === undefined) throw new Error('There is no thing')
  return plan.validators
}
