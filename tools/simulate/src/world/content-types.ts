const localized = { i18n: { localized: true } }

function declare(name: string, options: object, attributes: object): object {
  return {
    kind: 'collectionType',
    collectionName: `${name}_versions`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    ...options,
    attributes,
  }
}

/** The content-types of the simulation, by file name. `VersionModel` knows the rules of things. */
export const CONTENT_TYPES: Readonly<Record<string, object>> = {
  thing: declare(
    'thing',
    {
      options: { draftAndPublish: true, history: true },
      pluginOptions: localized,
    },
    {
      title: { type: 'string', required: true, pluginOptions: localized },
      slug: { type: 'string', unique: true, pluginOptions: localized },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        pluginOptions: localized,
      },
      part: { type: 'component', component: 'shared.part', pluginOptions: localized },
      rank: { type: 'integer', min: 0 },
      code: { type: 'string', unique: true },
    },
  ),
  tag: declare('tag', { options: { draftAndPublish: false } }, { name: { type: 'string' } }),
  'components/shared/part': {
    info: { displayName: 'Part' },
    attributes: { text: { type: 'string' } },
  },
}
