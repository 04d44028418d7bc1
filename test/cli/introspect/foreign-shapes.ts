import { Decimal128, type Document, Double, Int32, ObjectId } from 'mongodb'

/** Collections in the shapes of public sample data, with the expected type of each field. */
export interface ForeignShape {
  readonly name: string
  readonly collections: Readonly<Record<string, readonly Document[]>>
  readonly expected: Readonly<Record<string, string>>
}

const COUNT = 120

type Make = (index: number) => Document

function many(make: Make): readonly Document[] {
  return Array.from({ length: COUNT }, (_, index) => make(index))
}

function pick<T>(values: readonly T[], index: number): T {
  return values[index % values.length] as T
}

const LONG = 'A sentence of a plot that is longer than a string may be. '.repeat(6)
const at = (index: number): Date =>
  new Date(Date.UTC(2020, index % 12, 1 + (index % 28), index % 24, 5))
const price = (index: number): Decimal128 => Decimal128.fromString(`${index + 1}.95`)

const movieIds = Array.from({ length: COUNT }, () => new ObjectId())

function movie(index: number): Document {
  return {
    _id: movieIds[index],
    title: `Movie ${index}`,
    year: index === 7 ? '1995è' : new Int32(1900 + index),
    runtime: new Int32(60 + index),
    plot: `Plot ${index}`,
    fullplot: `${LONG}${index}`,
    genres: ['Drama', pick(['Short', 'Crime'], index)],
    cast: [`Actor ${index}`],
    rated: pick(['G', 'PG', 'R'], index),
    type: pick(['movie', 'series'], index),
    released: at(index),
    lastupdated: `2015-08-26 00:${index}`,
    awards: { wins: new Int32(index), nominations: new Int32(1), text: `${index} wins` },
    imdb: { rating: new Double(5.5 + (index % 4)), votes: new Int32(index * 7), id: index },
    tomatoes: { viewer: { rating: new Double(3.5), numReviews: index }, lastUpdated: at(index) },
  }
}

export const FILMS: ForeignShape = {
  name: 'films',
  collections: {
    movies: many(movie),
    comments: many((index) => ({
      name: `Name ${index}`,
      email: `name${index}@example.org`,
      movie_id: movieIds[(index * 3) % COUNT],
      text: `${LONG}${index}`,
      date: at(index),
    })),
    theaters: many((index) => ({
      theaterId: new Int32(1000 + index),
      location: {
        address: { street1: `${index} Road`, city: `City ${index}`, zipcode: `${10_000 + index}` },
        geo: { type: 'Point', coordinates: [index / 10, 1.5] },
      },
    })),
  },
  expected: {
    'movies.title': 'string',
    'movies.year': 'integer',
    'movies.runtime': 'integer',
    'movies.plot': 'string',
    'movies.fullplot': 'text',
    'movies.genres': 'json',
    'movies.cast': 'json',
    'movies.rated': 'enumeration',
    'movies.type': 'enumeration',
    'movies.released': 'datetime',
    'movies.lastupdated': 'string',
    'movies.awards': 'component',
    'movies.awards.wins': 'integer',
    'movies.awards.nominations': 'integer',
    'movies.awards.text': 'string',
    'movies.imdb': 'component',
    'movies.imdb.rating': 'float',
    'movies.imdb.votes': 'integer',
    'movies.tomatoes': 'component',
    'movies.tomatoes.viewer': 'component',
    'movies.tomatoes.viewer.rating': 'float',
    'movies.tomatoes.viewer.numReviews': 'integer',
    'movies.tomatoes.lastUpdated': 'datetime',
    'comments.name': 'string',
    'comments.email': 'string',
    'comments.movie_id': 'relation to api::movie.movie',
    'comments.text': 'text',
    'comments.date': 'datetime',
    'theaters.theaterId': 'integer',
    'theaters.location': 'component',
    'theaters.location.address': 'component',
    'theaters.location.address.street1': 'string',
    'theaters.location.address.city': 'string',
    'theaters.location.address.zipcode': 'string',
    'theaters.location.geo': 'json',
  },
}

export const HOMES: ForeignShape = {
  name: 'homes',
  collections: {
    listingsAndReviews: many((index) => ({
      _id: `${10_000 + index}`,
      listing_url: `https://example.org/${index}`,
      summary: `${LONG}${index}`,
      room_type: pick(['Entire home/apt', 'Private room'], index),
      accommodates: new Int32(1 + (index % 6)),
      bathrooms: Decimal128.fromString('1.5'),
      price: price(index),
      status: pick(['listed', 'paused'], index),
      last_scraped: at(index),
      first_review: index % 9 === 0 ? null : at(index),
      amenities: ['TV', 'Wifi'],
      host: { host_id: `${index}`, host_is_superhost: index % 3 === 0, 'odd name': 1 },
      address: { country: `Country ${index}`, location: { type: 'Point', coordinates: [1, 2] } },
      reviews: [{ _id: `${index}`, date: at(index), reviewer_name: `R ${index}`, score: index }],
    })),
  },
  expected: {
    'listingsAndReviews.listing_url': 'string',
    'listingsAndReviews.summary': 'text',
    'listingsAndReviews.room_type': 'enumeration',
    'listingsAndReviews.accommodates': 'integer',
    'listingsAndReviews.bathrooms': 'decimal',
    'listingsAndReviews.price': 'decimal',
    'listingsAndReviews.status': 'enumeration',
    'listingsAndReviews.last_scraped': 'datetime',
    'listingsAndReviews.first_review': 'datetime',
    'listingsAndReviews.amenities': 'json',
    'listingsAndReviews.host': 'component',
    'listingsAndReviews.host.host_id': 'string',
    'listingsAndReviews.host.host_is_superhost': 'boolean',
    'listingsAndReviews.address': 'component',
    'listingsAndReviews.address.country': 'string',
    'listingsAndReviews.address.location': 'json',
    'listingsAndReviews.reviews': 'component list',
    'listingsAndReviews.reviews.date': 'datetime',
    'listingsAndReviews.reviews.reviewer_name': 'string',
    'listingsAndReviews.reviews.score': 'integer',
  },
}

export const SUPPLIES: ForeignShape = {
  name: 'supplies',
  collections: {
    sales: many((index) => ({
      saleDate: at(index),
      items: [
        {
          name: pick(['pens', 'paper'], index),
          tags: ['office'],
          price: price(index),
          quantity: 2,
        },
        { name: 'binder', tags: ['school'], price: price(index + 1), quantity: index },
      ],
      storeLocation: pick(['Denver', 'Seattle', 'London'], index),
      customer: {
        gender: pick(['M', 'F'], index),
        age: 20 + index,
        email: `c${index}@example.org`,
        satisfaction: index % 5,
      },
      couponUsed: index % 2 === 0,
      purchaseMethod: pick(['Online', 'Phone', 'In store'], index),
      updatedAt: at(index),
    })),
  },
  expected: {
    'sales.saleDate': 'datetime',
    'sales.items': 'component list',
    'sales.items.name': 'enumeration',
    'sales.items.tags': 'json',
    'sales.items.price': 'decimal',
    'sales.items.quantity': 'integer',
    'sales.storeLocation': 'enumeration',
    'sales.customer': 'component',
    'sales.customer.gender': 'enumeration',
    'sales.customer.age': 'integer',
    'sales.customer.email': 'string',
    'sales.customer.satisfaction': 'integer',
    'sales.couponUsed': 'boolean',
    'sales.purchaseMethod': 'enumeration',
    'sales.updatedAt': 'datetime',
  },
}
