import type { ContentTypePlan, Schema, Validators } from '../../../src/schema/plan.ts'

type Sample = Pick<ContentTypePlan, 'kind' | 'draftAndPublish'> & { readonly uid: string }

/** A schema of content-types without attributes, enough for actions and the management API. */
export function sampleSchema(
  samples: readonly Sample[] = [
    { uid: 'api::article.article', kind: 'collectionType', draftAndPublish: true },
    { uid: 'api::tag.tag', kind: 'collectionType', draftAndPublish: false },
    { uid: 'api::homepage.homepage', kind: 'singleType', draftAndPublish: true },
    { uid: 'plugin::users-permissions.user', kind: 'collectionType', draftAndPublish: false },
  ],
): Schema {
  return {
    contentTypes: new Map(samples.map((sample) => [sample.uid, planOf(sample)])),
    components: new Map(),
    queries: new Map(),
    warnings: [],
  }
}

function planOf(sample: Sample): ContentTypePlan {
  const singularName = sample.uid.split('.').at(-1) ?? ''
  return {
    ...sample,
    declaredUid: sample.uid,
    formerUids: [],
    singularName,
    pluralName: `${singularName}s`,
    displayName: singularName,
    collectionName: `${singularName}s`,
    localized: false,
    sharded: false,
    history: false,
    attributes: new Map(),
    members: new Map(),
    stored: new Map(),
    isRenamed: () => false,
    indexes: [],
    filterable: null,
    populate: null,
    search: null,
    validators: NO_VALIDATORS,
  }
}

const NO_VALIDATORS: Validators = {
  draft: () => ({}),
  direct: () => ({}),
  publishable: () => undefined,
  resolveAliases: (data) => data,
  withoutAliases: (shown) => shown,
  only: () => NO_VALIDATORS,
}
