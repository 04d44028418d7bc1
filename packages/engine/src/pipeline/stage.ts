import type { Document, Value } from '../bson/values.ts'
import type { Filter } from '../filter/filter.ts'
import type { Hint } from '../query/hint.ts'
import type { PlanMemory } from '../query/plan.ts'
import type { Query, QuerySource } from '../query/run-query.ts'
import type { Sort } from '../filter/sort.ts'
import type { Variables } from '../expression/evaluate.ts'

export interface PipelineContext {
  readonly open: (collection: string) => QuerySource | null
  readonly variables: Variables
  /** Applies to the first collection only, not to $lookup and $unionWith. */
  readonly hint?: Hint | null
  /** Of a $lookup, which runs its query once per document. */
  readonly memory?: PlanMemory | null
}

/** The leading stages that run as a query of the collection. */
export interface PipelineHead {
  readonly filters: readonly Filter[]
  readonly sort: Sort
  readonly skip: number
  readonly limit: number
  readonly length: number
}

export interface CompiledPipeline {
  readonly head: PipelineHead
  /** True if the pipeline is only a head: its reply consists of unchanged records. */
  readonly isQuery: boolean
  query(context: PipelineContext, join?: Filter | null): Query
  run(documents: Iterable<Document>, context: PipelineContext): Iterable<Document>
  read(collection: string, context: PipelineContext, join?: Filter | null): Iterable<Document>
}

export type Stage = (documents: Iterable<Document>, context: PipelineContext) => Iterable<Document>

export type CompileStage = (operand: Value, compile: (stages: Value) => CompiledPipeline) => Stage
