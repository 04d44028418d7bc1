import { ApplicationError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { findByUnique, type Holder, valueKey } from '../../mongo/write/find-by-unique.ts'
import { uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { Key } from './bulk-line.ts'
import type { DryRunResults } from './dry-run-results.ts'

export interface PlacedKey {
  readonly plan: ContentTypePlan
  readonly key: Key
}

export class Holders {
  readonly #byValue = new Map<string, Omit<Holder, 'key'>[]>()

  async read(
    { database }: DocumentContext,
    keys: readonly PlacedKey[],
    status: 'published' | 'draft',
    session: Session | undefined,
  ): Promise<void> {
    const byAttribute = new Map<
      string,
      { readonly first: PlacedKey; values: Map<string, unknown> }
    >()
    for (const placed of keys) {
      const { plan, key } = placed
      const name = `${plan.uid} ${key.attribute.name}`
      const group = byAttribute.get(name) ?? { first: placed, values: new Map<string, unknown>() }
      byAttribute.set(name, group)
      group.values.set(valueKey(key.attribute, key.value), key.value)
    }
    for (const { first, values } of byAttribute.values()) {
      const { plan, key } = first
      const wanted = { values: [...values.values()], statuses: [status] } as const
      const found = await findByUnique(database, plan, key.attribute, wanted, session)
      for (const holder of found) this.#note(plan, key.attribute.name, holder.key, holder)
    }
  }

  join(trial: DryRunResults, keys: readonly PlacedKey[]): void {
    for (const { plan, key } of keys) {
      if (this.holds(plan, key)) continue
      this.add(plan, trial.holders(plan, key))
    }
  }

  #note(plan: ContentTypePlan, name: string, key: string, holder: Omit<Holder, 'key'>): void {
    const at = `${plan.uid} ${name} ${key}`
    const held = this.#byValue.get(at) ?? []
    this.#byValue.set(at, held)
    held.push(holder)
  }

  #at(plan: ContentTypePlan, { attribute, value }: Key): readonly Omit<Holder, 'key'>[] {
    return this.#byValue.get(`${plan.uid} ${attribute.name} ${valueKey(attribute, value)}`) ?? []
  }

  holds(plan: ContentTypePlan, key: Key): boolean {
    return this.#at(plan, key).length > 0
  }

  find(plan: ContentTypePlan, key: Key, locale: string): string | undefined {
    const isLocal = plan.localized && key.attribute.localized
    const all = this.#at(plan, key).filter((holder) => !isLocal || holder.locale === locale)
    const published = all.filter(({ status }) => status === 'published')
    const held = published.length > 0 ? published : all
    const [documentId, ...others] = new Set(held.map((holder) => holder.documentId))
    if (others.length === 0) return documentId
    throw new ApplicationError(
      `${key.attribute.name}: ${others.length + 1} documents of ${plan.singularName} have this value; name one by its documentId`,
    )
  }

  add(plan: ContentTypePlan, versions: readonly StoredVersion[]): void {
    for (const version of versions) {
      for (const { attribute, value } of uniqueValues(plan, version)) {
        this.#note(plan, attribute.name, valueKey(attribute, value), version)
      }
    }
  }
}
