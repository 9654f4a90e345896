/**
 * What a lock protects: a number that takes part in fencing. The fence is recorded by reads, too: a resource that compared
 * fences only when it writes would accept the write of the old holder after the read of the new one, and lose an increment.
 */
export class FencedRegister {
  value = 0;
  /** Accepted writes, and those that the fence has refused. */
  accepted = 0;
  refused = 0;
  #fence = 0n;

  /** Undefined for a fence that is below one that was here. */
  read(fence: bigint): number | undefined {
    if (fence < this.#fence) return undefined;
    this.#fence = fence;
    return this.value;
  }

  write(fence: bigint, value: number): boolean {
    if (fence < this.#fence) {
      this.refused += 1;
      return false;
    }
    this.#fence = fence;
    this.value = value;
    this.accepted += 1;
    return true;
  }
}
