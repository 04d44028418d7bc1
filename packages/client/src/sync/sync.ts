export { createStore } from './create-store.ts'
export type { StoreOptions } from './create-store.ts'
export type {
  Store,
  StoreControls,
  StoredCollection,
  StoredFiles,
  StoredSingle,
  StoreQuery,
} from './store-types.ts'
export type { AddFileOptions, FileOutbox, PendingFile } from './upload-files.ts'
export type {
  ChangeConflict,
  OutboxControls,
  PendingChange,
  UpdateOptions,
} from './outbox-controls.ts'
export { PushDelayed } from './push-changes.ts'
export type { StoreStatus } from './follow-changes.ts'
export type { Change, Mark, PartStorage, Row, Stored, StoreStorage } from './storage.ts'
export { indexedDbStorage } from './indexed-db-storage.ts'
export { memoryStorage } from './memory-storage.ts'
export { sqliteStorage } from './sqlite/sqlite-storage.ts'
export type { SqlDatabase, SyncSqlDatabase } from './sqlite/sql-database.ts'
export { sqliteSnapshot } from './sqlite/sqlite-snapshot.ts'
