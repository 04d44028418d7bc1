import type { AttributeDefinition, ContentTypeDefinition } from '../definition.ts'

/** Returns one sentence for each declaration that is valid but probably a mistake. */
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

/** Relations and uids are localized by default, see `isLocalized` in `compile.ts`. */
function isSharedByDefault(attribute: AttributeDefinition): boolean {
  const { type } = attribute
  return saidOf(attribute) === undefined && type !== 'relation' && type !== 'uid'
}
