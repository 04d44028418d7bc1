const localized = { i18n: { localized: true } }

/** Content-types of the mixed load. They cover every write that touches more than one row. */
export const MIXED_TYPES: Readonly<Record<string, object>> = {
  note: {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: true },
    pluginOptions: localized,
    attributes: {
      key: { type: 'string', required: true, unique: true },
      total: { type: 'integer' },
      title: { type: 'string', pluginOptions: localized },
      revision: { type: 'integer', pluginOptions: localized },
      parts: {
        type: 'component',
        repeatable: true,
        component: 'mixed.part',
        pluginOptions: localized,
      },
      folder: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::folder.folder',
        inversedBy: 'notes',
      },
    },
  },
  folder: {
    kind: 'collectionType',
    info: { singularName: 'folder', pluralName: 'folders', displayName: 'Folder' },
    attributes: {
      name: { type: 'string' },
      notes: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::note.note',
        mappedBy: 'folder',
      },
    },
  },
  counter: {
    kind: 'collectionType',
    info: { singularName: 'counter', pluralName: 'counters', displayName: 'Counter' },
    attributes: { count: { type: 'integer' } },
  },
  group: {
    kind: 'collectionType',
    info: { singularName: 'group', pluralName: 'groups', displayName: 'Group' },
    attributes: {
      members: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::member.member',
        inversedBy: 'groups',
      },
    },
  },
  member: {
    kind: 'collectionType',
    info: { singularName: 'member', pluralName: 'members', displayName: 'Member' },
    attributes: {
      key: { type: 'string', required: true, unique: true },
      groups: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::group.group',
        mappedBy: 'members',
      },
    },
  },
  'components/mixed/part': {
    info: { displayName: 'Part' },
    attributes: { revision: { type: 'integer' } },
  },
}
