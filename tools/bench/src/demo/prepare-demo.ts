import { join } from 'node:path'
import { contentAction, contentVerbs, queryAction } from '../../../../src/people/access/actions.ts'
import { PUBLIC_ROLE } from '../../../../src/people/access/role-rows.ts'
import type { Services } from '../../../../src/server/services/open-services.ts'
import type { Config } from '../../../../src/base/config/config.ts'
import { getMark, hasContent, putMark, type SampleMark } from '../sample/sample-mark.ts'
import { compileSample, listMissingTypes, SAMPLE_UIDS } from '../sample/sample-parts.ts'
import { seedSample } from '../sample/seed-sample.ts'
import { showProgress } from '../sample/show-progress.ts'
import { formatSeedSummary } from '../sample/run-seed.ts'
import { createDemoSignIn } from './demo-administrator.ts'
import { ensureDemoToken } from './demo-token.ts'

/** The content of the demo: the sample, or existing content, which stays unchanged. */
export type Demo =
  | {
      readonly kind: 'sample'
      readonly token: string
      readonly tokenFile: string
      readonly signIn: string | null
    }
  | { readonly kind: 'other'; readonly why: string }

const DEMO_CITIES = 2_000

/**
 * Loads the sample into an empty database and permits the public role to read it, once each.
 * Existing content is neither extended nor published.
 */
export async function prepareDemo(
  services: Services,
  { dataDir }: Pick<Config, 'dataDir'>,
): Promise<Demo> {
  const { database, access, schema } = services
  const mark = await getMark(database)
  const { completedAt, openedAt } = mark ?? { completedAt: null, openedAt: null }
  const why = listMissingTypes(schema).length > 0 ? OTHER_TYPES : await otherContent(services, mark)
  if (why !== null) return { kind: 'other', why }
  if (completedAt === null) {
    process.stdout.write('Bringing the sample content into the database\n')
    const report = await seedSample(
      services,
      compileSample(DEMO_CITIES),
      showProgress(process.stdout),
    )
    process.stdout.write(`${formatSeedSummary(report)}\n`)
  }
  if (openedAt === null) {
    await access.roles.grant(PUBLIC_ROLE, sampleReads(services))
    await putMark(database, { openedAt: new Date() })
  }
  const tokenFile = join(dataDir, 'demo-token')
  const signIn = await createDemoSignIn(services.administrators)
  return { kind: 'sample', token: await ensureDemoToken(access, tokenFile), tokenFile, signIn }
}

const OTHER_TYPES = 'the content-types of this installation are not those of the sample'

async function otherContent(
  { database, schema }: Services,
  mark: SampleMark | null,
): Promise<string | null> {
  const isOther = mark === null ? await hasContent(database, schema) : !mark.ontoEmpty
  return isOther ? 'the database holds other content' : null
}

function sampleReads({ schema, queries }: Services): readonly string[] {
  const reads = SAMPLE_UIDS.flatMap((uid) => {
    const plan = schema.contentTypes.get(uid)
    if (plan === undefined) return []
    const verbs = contentVerbs(plan).filter((verb) => verb === 'find' || verb === 'findOne')
    return verbs.map((verb) => contentAction(plan, verb))
  })
  return [...reads, ...[...queries.keys()].map(queryAction)]
}
