import type { AttributeDefinition, ContentTypeDefinition } from '../definition.ts'

export function findWarnings(contentTypes: readonly ContentTypeDefinition[]): readonly string[] {
  return contentTypes
    .filter(sharesUnawares)
    .map(
      ({ file }) =>
        `${file}: pluginOptions.i18n.localized: the type has locales, but no attribute of it says that it is ` +
        'localized, so that writing one locale changes all of them; an attribute has a value for each ' +
        'locale with "pluginOptions": { "i18n": { "localized": true } }',
    )
}

function sharesUnawares({ localized, attributes }: ContentTypeDefinition): boolean {
  if (!localized) return false
  const all = Object.values(attributes)
  return all.every((attribute) => saidOf(attribute) !== true) && all.some(isSharedByDefault)
}

function saidOf({ pluginOptions }: AttributeDefinition): boolean | undefined {
  return pluginOptions?.i18n?.localized
}

function isSharedByDefault(attribute: AttributeDefinition): boolean {
  const { type } = attribute
  return saidOf(attribute) === undefined && type !== 'relation' && type !== 'uid'
}
