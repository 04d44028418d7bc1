import type {
  AggregateOptions,
  AggregationCursor,
  AnyBulkWriteOperation,
  BulkWriteOptions,
  BulkWriteResult,
  ClientSession,
  Collection,
  CountDocumentsOptions,
  DeleteOptions,
  DeleteResult,
  Document,
  EstimatedDocumentCountOptions,
  Filter,
  FindCursor,
  FindOneAndDeleteOptions,
  FindOneAndUpdateOptions,
  FindOptions,
  IndexDescription,
  InsertManyResult,
  InsertOneOptions,
  InsertOneResult,
  OptionalUnlessRequiredId,
  ReplaceOptions,
  Sort,
  UpdateFilter,
  UpdateOptions,
  UpdateResult,
  WithId,
  WithoutId,
} from 'mongodb'
import { asCmsErrors, inSession } from './database-error.ts'

interface InSession {
  readonly session?: ClientSession | undefined
}

export type TableOptions<DriverOptions> = Omit<DriverOptions, 'session'> & InSession

/** Limits the time of commands (`queryTimeoutMs`). Maps their errors (`toCmsError`), except in a session. */
export class Table<T extends Document> {
  readonly #rows: Collection<T>
  readonly #maxTimeMS: number
  readonly #comment: () => string | undefined

  /** `comment` names the request in the database's profiler. */
  constructor(
    rows: Collection<T>,
    maxTimeMS: number,
    comment: () => string | undefined = () => undefined,
  ) {
    this.#rows = rows
    this.#maxTimeMS = maxTimeMS
    this.#comment = comment
  }

  /** Another view of the same collection, with the same limits. */
  as<View>(open: (...parts: ConstructorParameters<typeof Table<T>>) => View): View {
    return open(this.#rows, this.#maxTimeMS, this.#comment)
  }

  get name(): string {
    return this.#rows.collectionName
  }

  /** Without a time limit, because an index build takes as long as the collection is large. */
  createIndexes(indexes: IndexDescription[]): Promise<string[]> {
    return asCmsErrors(() => this.#rows.createIndexes(indexes))
  }

  find(filter: Filter<T> = {}, options: TableOptions<FindOptions> = {}): TableCursor<WithId<T>> {
    return new TableCursor(this.#rows.find(filter, this.#bounded(options)), options.session)
  }

  findOne(filter: Filter<T>, options: TableOptions<FindOptions> = {}): Promise<WithId<T> | null> {
    return inSession(options.session, () => this.#rows.findOne(filter, this.#bounded(options)))
  }

  insertOne(
    row: OptionalUnlessRequiredId<T>,
    options: TableOptions<InsertOneOptions> = {},
  ): Promise<InsertOneResult<T>> {
    return inSession(options.session, () => this.#rows.insertOne(row, this.#bounded(options)))
  }

  insertMany(
    rows: readonly OptionalUnlessRequiredId<T>[],
    options: TableOptions<BulkWriteOptions> = {},
  ): Promise<InsertManyResult<T>> {
    return inSession(options.session, () => this.#rows.insertMany(rows, this.#bounded(options)))
  }

  updateOne(
    filter: Filter<T>,
    update: UpdateFilter<T> | Document[],
    options: TableOptions<UpdateOptions> = {},
  ): Promise<UpdateResult<T>> {
    return inSession(options.session, () =>
      this.#rows.updateOne(filter, update, this.#bounded(options)),
    )
  }

  updateMany(
    filter: Filter<T>,
    update: UpdateFilter<T> | Document[],
    options: TableOptions<UpdateOptions> = {},
  ): Promise<UpdateResult<T>> {
    return inSession(options.session, () =>
      this.#rows.updateMany(filter, update, this.#bounded(options)),
    )
  }

  replaceOne(
    filter: Filter<T>,
    row: WithoutId<T>,
    options: TableOptions<ReplaceOptions> = {},
  ): Promise<UpdateResult<T>> {
    return inSession(options.session, () =>
      this.#rows.replaceOne(filter, row, this.#bounded(options)),
    )
  }

  findOneAndUpdate(
    filter: Filter<T>,
    update: UpdateFilter<T>,
    options: TableOptions<FindOneAndUpdateOptions> = {},
  ): Promise<WithId<T> | null> {
    return inSession(options.session, () =>
      this.#rows.findOneAndUpdate(filter, update, this.#bounded(options)),
    )
  }

  findOneAndDelete(
    filter: Filter<T>,
    options: TableOptions<FindOneAndDeleteOptions> = {},
  ): Promise<WithId<T> | null> {
    return inSession(options.session, () =>
      this.#rows.findOneAndDelete(filter, this.#bounded(options)),
    )
  }

  deleteOne(filter: Filter<T>, options: TableOptions<DeleteOptions> = {}): Promise<DeleteResult> {
    return inSession(options.session, () => this.#rows.deleteOne(filter, this.#bounded(options)))
  }

  deleteMany(filter: Filter<T>, options: TableOptions<DeleteOptions> = {}): Promise<DeleteResult> {
    return inSession(options.session, () => this.#rows.deleteMany(filter, this.#bounded(options)))
  }

  bulkWrite(
    operations: readonly AnyBulkWriteOperation<T>[],
    options: TableOptions<BulkWriteOptions> = {},
  ): Promise<BulkWriteResult> {
    return inSession(options.session, () =>
      this.#rows.bulkWrite(operations, this.#bounded(options)),
    )
  }

  countDocuments(
    filter: Filter<T> = {},
    options: TableOptions<CountDocumentsOptions> = {},
  ): Promise<number> {
    return inSession(options.session, () =>
      this.#rows.countDocuments(filter, this.#bounded(options)),
    )
  }

  estimatedDocumentCount(
    options: TableOptions<EstimatedDocumentCountOptions> = {},
  ): Promise<number> {
    return inSession(options.session, () =>
      this.#rows.estimatedDocumentCount(this.#bounded(options)),
    )
  }

  distinct(path: string, filter: Filter<T>): Promise<unknown[]> {
    return inSession(undefined, () => this.#rows.distinct(path, filter, this.#bounded({})))
  }

  aggregate<Row extends Document>(
    pipeline: readonly Document[],
    options: TableOptions<AggregateOptions> = {},
  ): Promise<Row[]> {
    return inSession(options.session, () =>
      this.#rows.aggregate<Row>([...pipeline], this.#bounded(options)).toArray(),
    )
  }

  protected piped(
    pipeline: readonly Document[],
    options: TableOptions<AggregateOptions>,
  ): TableCursor<Document> {
    const found = this.#rows.aggregate([...pipeline], this.#bounded(options))
    return new TableCursor(found, options.session)
  }

  #bounded<O extends InSession>({ session, ...options }: O) {
    const comment = this.#comment()
    const bounded = {
      maxTimeMS: this.#maxTimeMS,
      ...(comment !== undefined && { comment }),
      ...options,
    }
    return session === undefined ? bounded : { ...bounded, session }
  }
}

export class TableCursor<Row> {
  readonly #cursor: FindCursor<Row> | AggregationCursor<Row>
  readonly #session: ClientSession | undefined

  constructor(
    cursor: FindCursor<Row> | AggregationCursor<Row>,
    session: ClientSession | undefined,
  ) {
    this.#cursor = cursor
    this.#session = session
  }

  sort(sort: Sort): this {
    this.#cursor.sort(sort)
    return this
  }

  skip(count: number): this {
    this.#cursor.skip(count)
    return this
  }

  limit(count: number): this {
    this.#cursor.limit(count)
    return this
  }

  map<Mapped>(to: (row: Row) => Mapped): TableCursor<Mapped> {
    return new TableCursor(this.#cursor.map(to), this.#session)
  }

  toArray(): Promise<Row[]> {
    return inSession(this.#session, () => this.#cursor.toArray())
  }

  /** Reads until `take` returns false. */
  take(take: (row: Row) => boolean): Promise<void> {
    return inSession(this.#session, async () => {
      try {
        for await (const row of this.#cursor) if (!take(row)) return
      } finally {
        await this.#cursor.close()
      }
    })
  }
}
