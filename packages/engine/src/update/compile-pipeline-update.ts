import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { compilePipeline } from '../pipeline/pipeline.ts'
import { keepId } from './apply-update.ts'
import type { Update } from './apply-update.ts'

/** https://www.mongodb.com/docs/manual/tutorial/update-documents-with-aggregation-pipeline/ */
const STAGES: ReadonlySet<string> = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
])

/** @throws CommandError if a stage is not allowed in an update */
export function compilePipelineUpdate(pipeline: readonly Value[]): Update {
  const compiled = compilePipeline([...pipeline])
  for (const stage of pipeline) assertOfUpdate(stage)
  const context = { open: () => null, variables: new Map([['NOW', new Date()]]) }
  return (original) => {
    const [changed] = compiled.run([original], context)
    if (changed === undefined) throw failedToParse('the pipeline of an update leaves no document')
    return keepId(original, changed)
  }
}

function assertOfUpdate(stage: Value): void {
  const [name = ''] = isDocument(stage) ? Object.keys(stage) : []
  if (STAGES.has(name)) return
  throw new CommandError('InvalidOptions', `${name} is not allowed to be used within an update`)
}
