import { toDocument, isDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { compilePipeline } from '../pipeline/pipeline.ts'
import { planQuery, runQuery } from '../query/run-query.ts'
import type { Query, QuerySource } from '../query/run-query.ts'
import type { IndexPlan, ReadPlan } from '../query/read-plan.ts'
import { openSource, readQuery } from '../request/read-request.ts'
import type { Command, Request } from '../request/request.ts'
import { makePipelineContext } from './aggregate.ts'

function readInner(request: Request, inner: Document, name: string): Query {
  if (name === 'find') return readQuery(inner, 'filter')
  if (name === 'count') return readQuery(inner, 'query')
  if (name === 'aggregate')
    return compilePipeline(inner['pipeline']).query(
      makePipelineContext({ ...request, body: inner }),
    )
  throw new CommandError('NotImplemented', `explain of ${name} is not supported`)
}

function describeScan({ index, reverse }: IndexPlan): Document {
  return toDocument({
    stage: 'IXSCAN',
    indexName: index.name,
    keyPattern: index.spec['key'],
    direction: reverse ? 'backward' : 'forward',
  })
}

function describeRead(plan: ReadPlan | null): Document {
  if (!plan) return toDocument({ stage: 'COLLSCAN', direction: 'forward' })
  const inputStage =
    plan.kind === 'index'
      ? describeScan(plan)
      : toDocument({ stage: 'OR', inputStages: plan.branches.map(describeScan) })
  return toDocument({ stage: 'FETCH', inputStage })
}

function describePlan(plan: ReadPlan | null, query: Query): Document {
  const inputStage = describeRead(plan)
  return query.sort.length > 0 && plan?.isSorted !== true
    ? toDocument({ stage: 'SORT', inputStage })
    : inputStage
}

function measure(source: QuerySource | null, query: Query): Document {
  const counts = { examined: 0, keys: 0 }
  let nReturned = 0
  if (source)
    for (const record of runQuery(source, { ...query, counts })) nReturned += Number(record.id > 0)
  return toDocument({
    executionSuccess: true,
    nReturned,
    totalDocsExamined: counts.examined,
    docsExamined: counts.examined,
  })
}

export const explain: Command = {
  options: ['verbosity'],
  access: 'read',
  run: (request) => {
    const inner = request.body['explain']
    if (!isDocument(inner)) throw failedToParse("'explain' needs a command")
    const [name = ''] = Object.keys(inner)
    const target = inner[name]
    if (typeof target !== 'string') throw failedToParse('explain needs a collection')
    const query = readInner(request, inner, name)
    const source = openSource(request, target)
    const plan = source ? planQuery(source, query) : null
    const planner = toDocument({
      namespace: `${request.database}.${target}`,
      winningPlan: describePlan(plan, query),
      rejectedPlans: [],
    })
    const executed =
      request.body['verbosity'] === 'queryPlanner' ? {} : { executionStats: measure(source, query) }
    return toDocument({ explainVersion: '1', queryPlanner: planner, ...executed, ok: 1 })
  },
}
