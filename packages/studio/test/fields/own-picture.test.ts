import { expect } from 'chai'
import { isOwnPicture } from '../../src/fields/richtext/own-picture.ts'

const ORIGINS = ['http://cms.example.org', 'https://files.example.org']

describe('the pictures that the preview loads', () => {
  const own = [
    '/uploads/a.png',
    'a.png',
    'http:/a.png',
    '//cms.example.org/a.png',
    'https://files.example.org/a.png',
    'HTTPS://FILES.example.org:443/',
  ]
  for (const src of own) {
    it(`include ${src}`, () => {
      expect(isOwnPicture(src, ORIGINS)).to.equal(true)
    })
  }

  const others = [
    'https://other.example.org/a.png',
    '//other.example.org/a.png',
    String.raw`\\other.example.org/a.png`,
    '/\t/other.example.org/a.png',
    'https://files.example.org.evil.example/a.png',
    'https://files.example.org@evil.example/a.png',
    'http://files.example.org/a.png',
    'https://',
  ]
  for (const src of others) {
    it(`exclude ${JSON.stringify(src)}`, () => {
      expect(isOwnPicture(src, ORIGINS)).to.equal(false)
    })
  }
})
