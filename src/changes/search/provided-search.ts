import { createHash } from 'node:crypto'
import { callInTime } from '../../base/call-in-time.ts'
import { ServiceUnavailableError } from '../../base/errors.ts'
import type { ExtensionHost } from '../../extensions/extension-host.ts'
import type {
  SearchedEntry,
  SearchedVersion,
  SearchProvider,
  SearchStep,
} from '../../extensions/search-provider.ts'
import type { SyncedVersion } from '../../mongo/read/read-synced.ts'
import { searchForm } from '../../mongo/search/index-rows.ts'
import type { Proposal, SearchSource } from '../../mongo/search/search-source.ts'
import { versionKeyOf } from '../../mongo/versions/version-match.ts'
import { textOfAttribute } from '../../query/text/entry-text.ts'
import type { Query, TextSearch } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { checkProposal } from './check-proposal.ts'
import type { Indexing, SearchWriter } from './search-writer.ts'

export interface OpenedSearch {
  readonly extension: string
  readonly provider: SearchProvider
  readonly host: Pick<ExtensionHost, 'report' | 'searchTimes'>
}

const FIND_MS = 5_000

/** Shorter than the lease of the follower. */
const STEP_MS = 10_000

/** Asks the provider of an extension. Its errors are logged with the name of the extension, and responses have neither. */
export function providedSource({ extension, provider, host }: OpenedSearch): SearchSource {
  return {
    propose: async (asked, limit) => {
      if (asked.search === undefined || asked.search.attributes.size === 0) return NO_ENTRIES
      try {
        const request = requestOf(asked, asked.search, limit)
        const given = await callInTime(
          (signal) => provider.find({ ...request, signal }),
          host.searchTimes.findMs ?? FIND_MS,
        )
        return checkProposal(given, limit)
      } catch (error) {
        host.report({ extension, call: 'providers.search find', requestId: null, error })
        throw new ServiceUnavailableError('The search does not respond')
      }
    },
  }
}

const NO_ENTRIES: Proposal = { entries: [], isCapped: false }

function requestOf({ plan, version }: Query, search: TextSearch, limit: number) {
  const names = [...(plan.search?.weights.keys() ?? [])]
  const weights = [...search.attributes].map(([place, weight]) => [names[place] ?? '', weight])
  return {
    contentType: plan.declaredUid,
    text: search.text,
    match: search.matchesAll ? ('all' as const) : ('any' as const),
    weights: Object.fromEntries(weights) as Readonly<Record<string, number>>,
    locales: version.locales.map(shownLocale),
    status: version.status,
    limit,
  }
}

function shownLocale(locale: string): string | null {
  return locale === NO_LOCALE ? null : locale
}

/** Gives the versions to the provider of an extension. A failed step is repeated. */
export function providedWriter({ extension, provider, host }: OpenedSearch): SearchWriter {
  const call = async (name: keyof SearchProvider, run: RunStep, context: StepContext) => {
    const { indexing, plan } = context
    const step = { contentType: plan.declaredUid, commit: indexing.seq }
    try {
      await callInTime((signal) => run({ ...step, signal }), host.searchTimes.stepMs ?? STEP_MS)
    } catch (cause) {
      throw new Error(`Extension ${extension}: providers.search ${name} failed`, { cause })
    }
  }
  return {
    formOf: (plan, defaultLocale) => {
      const source = JSON.stringify([extension, provider.version])
      const digest = createHash('sha256').update(source).digest('base64url').slice(0, 12)
      return `${searchForm(plan, defaultLocale)}.${digest}`
    },
    put: async (indexing, plan, versions) => {
      if (versions.length === 0) return
      const entries = versions.map((version) => entryOf(plan, version))
      await call('put', (step) => provider.put({ ...step, entries }), { indexing, plan })
    },
    remove: async (indexing, plan, ids) => {
      const versions = ids.map(versionOf)
      await call('remove', (step) => provider.remove({ ...step, versions }), { indexing, plan })
    },
    startBuild: (indexing, plan) =>
      call('clear', (step) => provider.clear(step), { indexing, plan }),
    finishBuild: () => Promise.resolve(),
    startOver: () => Promise.resolve(),
  }
}

type RunStep = (step: SearchStep) => Promise<void>

interface StepContext {
  readonly indexing: Indexing
  readonly plan: ContentTypePlan
}

function versionOf(_id: string): SearchedVersion {
  const { documentId, locale, status } = versionKeyOf(_id)
  return { documentId, locale: shownLocale(locale), status }
}

function entryOf(plan: ContentTypePlan, version: SyncedVersion): SearchedEntry {
  const texts = [...(plan.search?.weights.keys() ?? [])].map((name) => {
    const attribute = plan.attributes.get(name)
    return [name, attribute === undefined ? '' : textOfAttribute(attribute, version[name])]
  })
  return {
    ...versionOf(version._id),
    updatedAt: version.updatedAt,
    texts: Object.fromEntries(texts) as Readonly<Record<string, string>>,
  }
}
