import { ValidationError } from '../errors.ts'
import type { ComponentDefinition, ContentTypeDefinition, Data } from './definition.ts'
import type { Validators } from './plan.ts'

/** The checks of one content-type, built once. */
export function compileValidators(
  definition: ContentTypeDefinition,
  _components: readonly ComponentDefinition[],
): Validators {
  const accept = (data: unknown): Data => {
    if (typeof data !== 'object' || data === null) {
      throw new ValidationError('Missing "data" payload in the request body')
    }
    for (const key of Object.keys(data)) {
      if (Object.hasOwn(definition.attributes, key)) continue
      throw new ValidationError(`Invalid key ${key}`, { key, path: null, source: 'body' })
    }
    return { ...data }
  }
  return { draft: accept, direct: accept, publishable: () => undefined }
}
