import type { AttributeDefinition, ContentTypeDefinition } from './definition.ts'
import type { AttributePlan, ContentTypePlan } from './plan.ts'

export const BUILT_IN_TYPES: readonly ContentTypeDefinition[] = [
  builtIn('plugin::users-permissions.user', 'user', 'up_users', {
    username: { type: 'string', required: true, unique: true, minLength: 3 },
    email: { type: 'email', required: true, unique: true, minLength: 6 },
    provider: { type: 'string' },
    password: { type: 'password', private: true, minLength: 6 },
    resetPasswordToken: { type: 'string', private: true, unique: true },
    confirmationToken: { type: 'string', private: true, unique: true },
    confirmed: { type: 'boolean', default: false },
    blocked: { type: 'boolean', default: false },
    role: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'plugin::users-permissions.role',
      inversedBy: 'users',
    },
  }),
  builtIn('plugin::users-permissions.role', 'role', 'quire_roles', {
    name: { type: 'string', required: true, unique: true, minLength: 3 },
    description: { type: 'string' },
    type: { type: 'string', unique: true },
    users: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'plugin::users-permissions.user',
      mappedBy: 'role',
      unshown: true, // a caller that may read one role could list all of its users
    },
  }),
  builtIn('plugin::upload.file', 'file', 'files', {
    name: { type: 'string', required: true },
    alternativeText: { type: 'text' },
    caption: { type: 'text' },
    focalPoint: { type: 'json' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    formats: { type: 'json' },
    thumbhash: { type: 'string', onRequest: true },
    hash: { type: 'string', required: true, unique: true },
    ext: { type: 'string' },
    mime: { type: 'string', required: true },
    size: { type: 'float', required: true },
    url: { type: 'text', required: true },
    previewUrl: { type: 'text' },
    provider: { type: 'string', required: true },
    provider_metadata: { type: 'json' },
    private: { type: 'boolean', onRequest: true },
  }),
]

export function addedAttributes({
  uid,
  attributes,
}: Pick<ContentTypePlan, 'uid' | 'attributes'>): readonly AttributePlan[] {
  const own = BUILT_IN_TYPES.find((type) => type.uid === uid)?.attributes ?? {}
  return [...attributes.values()].filter(({ name }) => !Object.hasOwn(own, name))
}

function builtIn(
  uid: string,
  singularName: string,
  collectionName: string,
  attributes: Readonly<Record<string, AttributeDefinition>>,
): ContentTypeDefinition {
  return {
    uid,
    file: 'built in',
    kind: 'collectionType',
    collectionName,
    singularName,
    pluralName: `${singularName}s`,
    displayName: singularName,
    draftAndPublish: false,
    localized: false,
    attributes,
  }
}
