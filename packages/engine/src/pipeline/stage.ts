import type { Document, Value } from '../bson/values.ts'
import type { Filter } from '../filter/filter.ts'
import type { Hint } from '../query/hint.ts'
import type { Query, Source } from '../query/run-query.ts'
import type { Sort } from '../filter/sort.ts'
import type { Variables } from '../expression/evaluate.ts'

export interface PipelineContext {
  /** A collection of the same database by name; null when there is none. */
  readonly open: (collection: string) => Source | null
  readonly variables: Variables
  /** Of the first collection; those of $lookup and $unionWith have none. */
  readonly hint?: Hint | null
}

/** The stages at the start that a query of the collection answers by itself. */
export interface Head {
  readonly filters: readonly Filter[]
  readonly sort: Sort
  readonly skip: number
  readonly limit: number
  readonly length: number
}

export interface CompiledPipeline {
  readonly head: Head
  /** Whether the head is all: its records then are the answer as they are. */
  readonly isQuery: boolean
  query(context: PipelineContext, join?: Filter | null): Query
  /** Runs all stages over given documents. */
  run(documents: Iterable<Document>, context: PipelineContext): Iterable<Document>
  /** Runs all stages over a collection, its head as a query with a further filter. */
  read(collection: string, context: PipelineContext, join?: Filter | null): Iterable<Document>
}

export type Stage = (documents: Iterable<Document>, context: PipelineContext) => Iterable<Document>

/** Compiles a stage; `compile` is for the pipelines within it. */
export type CompileStage = (operand: Value, compile: (stages: Value) => CompiledPipeline) => Stage
