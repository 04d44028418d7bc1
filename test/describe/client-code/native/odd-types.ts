import type { DeclarationFile } from '../../../../src/schema/definition.ts'
import { componentFile, typeFile } from '../../../schema/define.ts'

/** Reserved names, enumeration values that are not identifiers, and recursive types. */
export const ODD: readonly DeclarationFile[] = [
  typeFile(
    'class',
    {
      when: { type: 'datetime' },
      due: { type: 'datetime', required: true },
      title: { type: 'string', required: true },
      in: { type: 'boolean' },
      'meta-title': { type: 'string' },
      meta_title: { type: 'string' },
      kind: { type: 'enumeration', enum: ['value', 'a b', '3D', 'class', '$5 "x"', 'A B', '§'] },
      size: { type: 'biginteger' },
      price: { type: 'decimal' },
      anything: { type: 'json' },
      place: { type: 'location' },
      secret: { type: 'string', private: true },
      parent: { type: 'relation', relation: 'manyToOne', target: 'api::class.class' },
      parts: { type: 'dynamiczone', components: ['shared.object', 'shared.is'] },
      one: { type: 'component', component: 'shared.object' },
      many: { type: 'component', component: 'shared.object', repeatable: true },
      cover: { type: 'media' },
      string: { type: 'relation', relation: 'manyToMany', target: 'api::string.string' },
    },
    { info: { singularName: 'class', pluralName: 'classes' } },
  ),
  typeFile('string', { self: { type: 'string' }, hashCode: { type: 'integer' } }),
  componentFile('shared.object', { val: { type: 'integer' }, at: { type: 'location' } }),
  componentFile('shared.is', { text: { type: 'text' } }),
  {
    file: 'queries/for.json',
    kind: 'query',
    uid: 'for',
    content: {
      type: 'class',
      parameters: {
        while: { type: 'string', required: true },
        sizes: { type: 'integer', list: true },
        page: { type: 'integer' },
        since: { type: 'datetime' },
      },
      filters: {
        'meta-title': { $eq: { $param: 'while' } },
        price: { $in: { $param: 'sizes' } },
        when: { $gt: { $param: 'since' } },
      },
      fields: ['kind', 'in'],
      populate: {
        parent: { fields: ['when'], populate: { parts: true } },
        parts: { on: { 'shared.is': { fields: ['text'] } } },
        many: { count: true },
      },
      pagination: { page: { $param: 'page' } },
    },
  },
  {
    file: 'queries/one-class.json',
    kind: 'query',
    uid: 'one-class',
    content: { type: 'class', single: true, fields: ['size'] },
  },
  {
    file: 'queries/classes-by-kind.json',
    kind: 'query',
    uid: 'classes-by-kind',
    content: {
      type: 'class',
      aggregate: {
        groupBy: ['kind', 'when:month', 'string'],
        count: true,
        avg: ['size'],
        sum: ['size'],
        max: ['when'],
      },
    },
  },
]
