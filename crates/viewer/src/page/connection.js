// The connection to the server: JSON messages, and frames as binary chunks. Reconnects automatically.

/** Length of a chunk's header in bytes. */
const HEADER = 36;

export class Connection {
  /**
   * @param {{message: (message: object) => void, frame: (frame: object) => void,
   *   state: (isOpen: boolean) => void}} on
   */
  constructor(on) {
    this.on = on;
    this.socket = null;
    /** Chunks of the frame that is being received. */
    this.chunks = [];
    this.connect();
  }

  connect() {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.on.state(true);
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        this.on.message(JSON.parse(data));
      } else {
        this.chunk(data);
      }
    };
    socket.onclose = () => {
      this.chunks = [];
      this.on.state(false);
      setTimeout(() => this.connect(), 1000);
    };
    this.socket = socket;
  }

  send(type, fields = {}) {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ type, ...fields }));
    }
  }

  /** Collects chunks and reports a frame when it is complete. */
  chunk(buffer) {
    const header = new Uint32Array(buffer, 0, HEADER / 4);
    const [frame, width, height, left, top, partWidth, partHeight, stage, more] = header;
    const bytes = new Uint8ClampedArray(buffer, HEADER);
    if (bytes.length > 0) {
      this.chunks.push({ left, top, pixels: new ImageData(bytes, partWidth, partHeight) });
    }
    if (more > 0) return;
    this.on.frame({ frame, width, height, chunks: this.chunks, stage });
    this.chunks = [];
  }
}
