import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError, typeMismatch } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { countRecords } from '../query/count-records.ts'
import { runQuery } from '../query/run-query.ts'
import type { Query, QuerySource } from '../query/run-query.ts'
import { parseSort } from '../filter/sort.ts'
import type { Record } from '../storage/collection.ts'
import { readRecord } from '../storage/view.ts'
import { parseCountStage } from './counting.ts'
import type { CountStage } from './counting.ts'
import { collectFieldsRead } from './fields-read.ts'
import type { CompiledPipeline, PipelineHead, PipelineContext, Stage } from './stage.ts'
import { readCount, STAGES } from './stages.ts'

interface Parsed {
  readonly name: string
  readonly operand: Value
}

function parseStage(stage: Value): Parsed {
  if (!isDocument(stage))
    throw typeMismatch("Each element of the 'pipeline' array must be an object")
  const [name = '', ...others] = Object.keys(stage)
  if (name === '' || others.length > 0)
    throw new CommandError(
      'Location40323',
      'A pipeline stage specification object must contain exactly one field.',
    )
  if (!Object.hasOwn(STAGES, name))
    throw new CommandError('Location40324', `Unrecognized pipeline stage name: '${name}'`)
  return { name, operand: stage[name] }
}

function parseHead(stages: readonly Parsed[]): PipelineHead {
  let at = 0
  const next = (name: string): Value =>
    stages[at]?.name === name ? stages[at++]?.operand : undefined
  const filters: Filter[] = []
  for (let filter = next('$match'); isDocument(filter); filter = next('$match'))
    filters.push(parseFilter(filter))
  const sort = next('$sort')
  const skip = next('$skip')
  const limit = next('$limit')
  return {
    filters,
    sort: isDocument(sort) ? parseSort(sort) : [],
    skip: skip === undefined ? 0 : readCount('$skip', skip, 0),
    limit: limit === undefined ? Infinity : readCount('$limit', limit, 1),
    length: at,
  }
}

function chain(
  stages: readonly Stage[],
  documents: Iterable<Document>,
  context: PipelineContext,
): Iterable<Document> {
  return stages.reduce((input, stage) => stage(input, context), documents)
}

function* toDocuments(
  source: QuerySource,
  records: Iterable<Record>,
  wanted: ReadonlySet<string> | null,
): Generator<Document> {
  for (const record of records) yield readRecord(source.collection, record, wanted)
}

interface Next {
  readonly counting: CountStage
  readonly wanted: ReadonlySet<string> | null
}

function nextOf(stage: Parsed | undefined): Next {
  if (!stage) return { counting: null, wanted: null }
  const { name, operand } = stage
  const isGroup = name === '$group' || name === '$sortByCount'
  return {
    counting: parseCountStage(name, operand),
    wanted: isGroup ? collectFieldsRead(operand) : null,
  }
}

function* counted(count: number, toDocument: (count: number) => Document): Generator<Document> {
  if (count > 0) yield toDocument(count)
}

/** @throws CommandError if a stage is not implemented */
export function compilePipeline(pipeline: Value): CompiledPipeline {
  if (!Array.isArray(pipeline))
    throw typeMismatch("'pipeline' option must be specified as an array")
  const parsed = pipeline.map((stage) => parseStage(stage))
  const stages = parsed.map(({ name, operand }) => compileStage(name, operand))
  const head = parseHead(parsed)
  const rest = stages.slice(head.length)
  const { counting, wanted } = nextOf(parsed[head.length])
  const query = (
    { variables, hint = null, memory = null }: PipelineContext,
    join: Filter | null = null,
  ): Query => ({
    filter: { kind: 'all', of: join ? [join, ...head.filters] : head.filters },
    sort: head.sort,
    skip: head.skip,
    limit: head.limit,
    variables,
    hint,
    memory,
  })
  return {
    head,
    isQuery: rest.length === 0,
    query,
    run: (documents, context) => chain(stages, documents, context),
    read(collection, context, join) {
      const source = context.open(collection)
      if (!source) return chain(rest, [], context)
      const asked = query(context, join)
      const inner = { ...context, hint: null, memory: null }
      if (counting) {
        const count = countRecords(source, asked)
        return chain(rest.slice(1), counted(count, counting), inner)
      }
      const reads = wanted ?? undefined
      const records = runQuery(source, { ...asked, ...(reads && { reads }) })
      return chain(rest, toDocuments(source, records, wanted), inner)
    },
  }
}

function compileStage(name: string, operand: Value): Stage {
  const compile = STAGES[name]
  if (!compile)
    throw new CommandError('Location40324', `Unrecognized pipeline stage name: '${name}'`)
  return compile(operand, compilePipeline)
}
