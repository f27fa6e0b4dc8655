/** Two short tones, made here: a page may allow no media. */
export interface Sound {
  /** Browsers let a page sound only after the visitor has done something on it: this is called then. */
  allow(): void;
  /** Tells whether the page may sound now. */
  ready(): boolean;
  /** Sounds, on a page that may. */
  play(): void;
}

export function sound(): Sound {
  let audio: AudioContext | undefined;

  function tone(context: AudioContext, pitch: number, after: number): void {
    const start = context.currentTime + after;
    const source = context.createOscillator();
    const volume = context.createGain();
    source.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.12, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.25);
    source.connect(volume);
    volume.connect(context.destination);
    source.start(start);
    source.stop(start + 0.3);
  }

  function allow(): void {
    try {
      audio = audio || new AudioContext();
      audio.resume();
    } catch {
      // It stays silent.
    }
  }

  return {
    allow,
    ready() {
      // Anything that the visitor has done on this page will do.
      const active = navigator.userActivation && navigator.userActivation.hasBeenActive;
      if (active) {
        allow();
      }
      return !!audio && (active || audio.state === 'running');
    },
    play() {
      tone(audio!, 660, 0);
      tone(audio!, 880, 0.12);
    },
  };
}
