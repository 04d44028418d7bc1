import { FILE_UID } from '../../schema/definition.ts'
import type { FileType } from '../../media/find-file-types.ts'
import { valueKey } from '../../mongo/write/find-by-unique.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Key } from './bulk-line.ts'

/** The versions and files that earlier lines of a dry run would have stored. */
export class DryRunResults {
  readonly fileTypes = new Map<string, FileType>()
  readonly #documents = new Map<string, readonly StoredVersion[]>()
  readonly #holders = new Map<string, readonly StoredVersion[]>()

  note(plan: ContentTypePlan, versions: readonly StoredVersion[]): void {
    const [first] = versions
    if (first === undefined) return
    const kept = versions.map((version) => {
      const { id, documentId, locale, status, createdAt, updatedAt, publishedAt } = version
      const unique = uniqueValues(plan, version).map(({ attribute, value }) => [
        attribute.name,
        value,
      ])
      const own = { id, documentId, locale, status, createdAt, updatedAt, publishedAt }
      return { ...(Object.fromEntries(unique) as object), ...own }
    })
    this.#documents.set(`${plan.uid} ${first.documentId}`, kept)
    for (const { attribute, value } of uniqueValues(plan, first)) {
      this.#holders.set(keyText(plan, { attribute, value }), kept)
    }
  }

  noteFile(documentId: string, type: FileType): void {
    this.fileTypes.set(documentId, type)
  }

  has(plan: ContentTypePlan, documentId: string): boolean {
    if (plan.uid === FILE_UID) return this.fileTypes.has(documentId)
    return this.documents(plan, documentId).length > 0
  }

  documents(plan: ContentTypePlan, documentId: string): readonly StoredVersion[] {
    return this.#documents.get(`${plan.uid} ${documentId}`) ?? []
  }

  holders(plan: ContentTypePlan, key: Key): readonly StoredVersion[] {
    return this.#holders.get(keyText(plan, key)) ?? []
  }
}

function keyText({ uid }: ContentTypePlan, { attribute, value }: Key): string {
  return `${uid} ${attribute.name} ${valueKey(attribute, value)}`
}
