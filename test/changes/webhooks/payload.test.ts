import { expect } from 'chai'
import { ROOT } from '../../../src/people/access/principal.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { bodyFor } from '../../../src/changes/webhooks/payload.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'
import { type LaggingMajority, startLaggingMajority } from '../../support/lagging-majority.ts'

const schema = compileSchema({
  contentTypes: [
    contentType('tag', { draftAndPublish: false, localized: false }, { name: { type: 'string' } }),
  ],
  components: [],
})

const ID = 'abcdefghijklmnopqrstuvwx'

describe('bodies of webhooks', () => {
  let replicas: LaggingMajority

  before(async () => {
    replicas = await startLaggingMajority()
  })
  after(() => replicas.stop())

  it('contains no content that a failover may roll back', async () => {
    const database = await replicas.open('payload')
    const plan = schema.contentTypes.get('api::tag.tag')
    const stored = replicas.client
      .db('payload')
      .collection<{ _id: string }>(plan?.collectionName ?? '')
    const place = { documentId: ID, locale: '', status: 'published' }
    await stored.insertOne({
      _id: `${ID}::published`,
      ...place,
      name: 'kept',
      updatedAt: new Date(),
    } as never)
    await replicas.hold()
    await stored.updateOne({}, { $set: { name: 'lost' } }, { writeConcern: { w: 1 } })
    const { locales } = rulesWith('en')
    const { body, withheld } = await bodyFor(
      {
        database,
        schema,
        locales: { current: () => Promise.resolve(locales as never) },
        bounds: { maxEntries: 100, maxBytes: 1_000_000 },
        principals: {
          access: { ruledPrincipalOfAuthor: () => Promise.resolve(ROOT) },
          ruledAdministrator: () => Promise.resolve(null),
        },
      },
      {
        body: 'strapi',
        types: null,
        events: ['entry.update'],
        by: { kind: 'root', id: null, name: null },
      },
      { ...place, type: 'api::tag.tag', event: 'entry.update', at: new Date(), seq: 1 } as never,
    )
    expect([JSON.parse(body).entry.name, withheld]).to.deep.equal(['kept', null])
  })
})
