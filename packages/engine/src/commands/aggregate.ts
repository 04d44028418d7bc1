import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { compilePipeline } from '../pipeline/pipeline.ts'
import type { CompiledPipeline, PipelineContext } from '../pipeline/stage.ts'
import { compileExpression } from '../expression/expressions.ts'
import { isChangeStream, openChangeStream } from '../request/change-stream.ts'
import { parseHint } from '../query/hint.ts'
import { runQuery } from '../query/run-query.ts'
import { makeCursorOptions, openSource, toResults } from '../request/read-request.ts'
import {
  readCollectionName,
  readOptionalCount,
  readOptionalDocument,
  refuseCollation,
} from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { createDocument } from '../bson/values.ts'
import type { Document, RawDocument } from '../bson/values.ts'

function readVariables(request: Request): Map<string, Value> {
  const variables = new Map<string, Value>([['NOW', new Date()]])
  const spec = readOptionalDocument(request.body, 'let')
  for (const name of spec ? Object.keys(spec) : [])
    variables.set(name, compileExpression(spec?.[name])(createDocument(), variables))
  return variables
}

export function makePipelineContext(request: Request): PipelineContext {
  return {
    open: (collection) => openSource(request, collection),
    variables: readVariables(request),
    hint: parseHint(request.body['hint']),
  }
}

function results(
  request: Request,
  name: string,
  pipeline: CompiledPipeline,
): Iterable<RawDocument | Document> {
  const context = makePipelineContext(request)
  const source = openSource(request, name)
  if (!pipeline.isQuery || !source) return pipeline.read(name, context)
  return toResults(source.collection, runQuery(source, pipeline.query(context)), null)
}

function readBatchSize({ cursor }: Document): number | null {
  if (isDocument(cursor)) return readOptionalCount(cursor, 'batchSize')
  throw failedToParse(
    "The 'cursor' option is required, except for aggregate with the explain argument",
  )
}

/** `aggregate: 1` watches a database, or all with `allChangesForCluster`. */
function watch(request: Request): Document {
  const { body, engine, database, transaction } = request
  if (transaction)
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      'Operation not permitted in transaction :: caused by :: $changeStream cannot run in a transaction',
    )
  refuseCollation(body)
  const pipeline = body['pipeline'] as readonly Value[]
  const isWhole = body['aggregate'] === 1
  const collection = isWhole ? null : readCollectionName(request)
  const watched = { database: watchesAll(pipeline) ? null : database, collection }
  const stream = openChangeStream(engine.data, watched, pipeline, makePipelineContext(request))
  const namespace = `${database}.${collection ?? '$cmd.aggregate'}`
  return engine.cursors.openStream(
    stream,
    makeCursorOptions(request, namespace, readBatchSize(body)),
  )
}

function watchesAll([stage]: readonly Value[]): boolean {
  const options = isDocument(stage) ? stage['$changeStream'] : undefined
  return isDocument(options) && options['allChangesForCluster'] === true
}

export const aggregate: Command = {
  options: [
    'pipeline',
    'cursor',
    'allowDiskUse',
    'bypassDocumentValidation',
    'hint',
    'collation',
    'let',
    'explain',
  ],
  access: 'read',
  inTransaction: true,
  run: (request) => {
    const { body, engine, database } = request
    if (isChangeStream(body)) return watch(request)
    if (typeof body['aggregate'] !== 'string')
      throw new CommandError(
        'InvalidNamespace',
        'aggregations without a collection are not supported',
      )
    if (body['explain'] === true) throw failedToParse("'explain' is a command of its own")
    const name = readCollectionName(request)
    refuseCollation(body)
    const pipeline = compilePipeline(body['pipeline'])
    const options = makeCursorOptions(
      request,
      `${database}.${name}`,
      readBatchSize(body),
      openSource(request, name),
    )
    return engine.cursors.open(results(request, name, pipeline), options)
  },
}
