/** A random generator that depends only on its seed. Each case has its own stream, so a case can be generated alone. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, stream: number) {
    this.#a = mix(seed);
    this.#b = mix(stream + 0x9e3779b9);
    this.#c = mix(seed ^ Math.imul(stream, 0x85ebca6b));
    for (let round = 0; round < 12; round++) this.bits();
  }

  /** Returns 32 random bits, by the algorithm sfc32 of the PractRand suite. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Returns an integer from 0 up to, but not including, the end. */
  below(end: number): number {
    return Math.floor((this.bits() / 2 ** 32) * end);
  }

  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  /** Returns an integer from 1 to `max` whose order of magnitude is uniformly distributed, so that most results are small. */
  size(max: number): number {
    return Math.floor(Math.exp((this.bits() / 2 ** 32) * Math.log(max + 1)));
  }

  chance(probability: number): boolean {
    return this.bits() < probability * 2 ** 32;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  choose<Value>(choices: readonly (readonly [weight: number, value: Value])[]): Value {
    let place = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, value] of choices) {
      if (place < weight) return value;
      place -= weight;
    }
    throw new Error("There is nothing to choose from.");
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let index = 0; index < length; index++) bytes[index] = this.bits();
    return bytes;
  }
}

function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}
