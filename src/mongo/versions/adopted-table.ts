import type { CountDocumentsOptions, Document, Filter, FindOptions, WithId } from 'mongodb'
import { readOnlyType } from '../../schema/adopted-type.ts'
import { type TableOptions, Table, type TableCursor } from '../connection/table.ts'
import { adoptedPipeline } from './adopted-pipeline.ts'
import { adoptedRow, type KeyedType, versionRow } from './adopted-rows.ts'

type Row = Document & { readonly _id: string }

/** A collection that other services write, as rows of versions. No method writes. */
export class AdoptedTable extends Table<Row> {
  readonly #keyed: KeyedType

  constructor(keyed: KeyedType, ...parts: ConstructorParameters<typeof Table<Row>>) {
    super(...parts)
    this.#keyed = keyed
  }

  override find(
    filter: Filter<Row> = {},
    options: TableOptions<FindOptions> = {},
  ): TableCursor<WithId<Row>> {
    const { projection, sort, skip = 0, limit = 0, session, batchSize, maxTimeMS } = options
    const stages = findStages({
      filter,
      projection,
      sort: sort as Document | undefined,
      skip,
      limit,
    })
    const bounds = {
      session,
      ...(batchSize !== undefined && { batchSize }),
      ...(maxTimeMS !== undefined && { maxTimeMS }),
    }
    return this.piped(adoptedPipeline(this.#keyed.plan, stages), bounds).map(
      (row) => versionRow(this.#keyed, row) as WithId<Row>,
    )
  }

  override async findOne(
    filter: Filter<Row>,
    options: TableOptions<FindOptions> = {},
  ): Promise<WithId<Row> | null> {
    const [found] = await this.find(filter, { ...options, limit: 1 }).toArray()
    return found ?? null
  }

  override async aggregate<Found extends Document>(
    pipeline: readonly Document[],
    options: Parameters<Table<Row>['aggregate']>[1] = {},
  ): Promise<Found[]> {
    const found = await super.aggregate<Found>(adoptedPipeline(this.#keyed.plan, pipeline), options)
    return found.map((row) => adoptedRow(this.#keyed.plan, row) as Found)
  }

  override async countDocuments(
    filter: Filter<Row> = {},
    { limit, session, maxTimeMS }: TableOptions<CountDocumentsOptions> = {},
  ): Promise<number> {
    const stages = [
      { $match: filter },
      ...(limit === undefined ? [] : [{ $limit: limit }]),
      { $count: 'count' },
    ]
    const bounds = { session, ...(maxTimeMS !== undefined && { maxTimeMS }) }
    const [found] = await this.aggregate(stages, bounds)
    return Number(found?.['count'] ?? 0)
  }

  override insertOne(): Promise<never> {
    return this.#refuse()
  }

  override insertMany(): Promise<never> {
    return this.#refuse()
  }

  override updateOne(): Promise<never> {
    return this.#refuse()
  }

  override updateMany(): Promise<never> {
    return this.#refuse()
  }

  override replaceOne(): Promise<never> {
    return this.#refuse()
  }

  override findOneAndUpdate(): Promise<never> {
    return this.#refuse()
  }

  override findOneAndDelete(): Promise<never> {
    return this.#refuse()
  }

  override deleteOne(): Promise<never> {
    return this.#refuse()
  }

  override deleteMany(): Promise<never> {
    return this.#refuse()
  }

  override bulkWrite(): Promise<never> {
    return this.#refuse()
  }

  override createIndexes(): Promise<never> {
    return this.#refuse()
  }

  #refuse(): Promise<never> {
    return Promise.reject(readOnlyType(this.#keyed.plan))
  }
}

interface Found {
  readonly filter: Document
  readonly projection?: Document | undefined
  readonly sort?: Document | undefined
  readonly skip?: number | undefined
  readonly limit: number
}

export function findStages({
  filter,
  projection = {},
  sort = {},
  skip = 0,
  limit,
}: Found): readonly Document[] {
  return [
    { $match: filter },
    ...(Object.keys(sort).length > 0 ? [{ $sort: sort }] : []),
    ...(skip > 0 ? [{ $skip: skip }] : []),
    ...(limit > 0 ? [{ $limit: limit }] : []),
    ...(Object.keys(projection).length > 0 ? [{ $project: projection }] : []),
  ]
}
