import type { Registry } from 'prom-client'
import type { Actions } from '../../people/access/actions.ts'
import { contentWriters } from '../../people/access/content-writers.ts'
import { type AnswerCacheOptions, openAnswerCache } from '../../changes/answers/answer-cache.ts'
import { answerKeys } from '../../changes/answers/answer-key.ts'
import { pack } from '../../changes/answers/cached-answer.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { CacheConfig } from '../../base/config/sections.ts'
import { measureAnswers } from '../middleware/measure-answers.ts'
import { type CachedReads, openCachedReads } from './cached-reads.ts'

export interface ReadsDependencies {
  readonly database: Pick<DocumentContext['database'], 'judgeTime'>
  readonly config: CacheConfig
  readonly actions: Actions
  readonly clock: AnswerCacheOptions['clock']
  readonly registry: Registry
}

export function openReads(dependencies: ReadsDependencies): CachedReads {
  const { config, database, actions, clock, registry } = dependencies
  const { bytes, staleMs, maxAgeSeconds, tags: cacheTags } = config
  const cache = bytes === 0 ? null : openAnswerCache({ maxBytes: bytes, staleMs, clock, pack })
  if (cache !== null) measureAnswers(registry, () => cache.counts())
  const keyOf = answerKeys(actions.all)
  return openCachedReads({
    database,
    cache,
    keyOf,
    mayWrite: contentWriters(actions.all),
    maxAgeSeconds,
    cacheTags,
  })
}
