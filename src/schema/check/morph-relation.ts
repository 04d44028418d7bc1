/** Polymorphic relations, see https://docs.strapi.io/cms/backend-customization/models#relations */
const MORPH_RELATIONS: ReadonlySet<unknown> = new Set([
  'morphToOne',
  'morphToMany',
  'morphOne',
  'morphMany',
])

export function isMorphRelation(content: unknown): content is { readonly relation: string } {
  if (typeof content !== 'object' || content === null) return false
  const { type, relation } = content as { readonly type?: unknown; readonly relation?: unknown }
  return type === 'relation' && MORPH_RELATIONS.has(relation)
}
