// The connection to the server: messages as JSON, pictures as bytes, in pieces. It comes back by itself.

const HEAD = 36;

export class Connection {
  /**
   * @param {{message: (message: object) => void, picture: (picture: object) => void,
   *   state: (isOpen: boolean) => void}} on
   */
  constructor(on) {
    this.on = on;
    this.socket = null;
    /** Of the picture that is under way. */
    this.pieces = [];
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
        this.piece(data);
      }
    };
    socket.onclose = () => {
      this.pieces = [];
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

  /** Shows a picture once all of it is there. */
  piece(buffer) {
    const head = new Uint32Array(buffer, 0, HEAD / 4);
    const [frame, width, height, left, top, partWidth, partHeight, stage, more] = head;
    const bytes = new Uint8ClampedArray(buffer, HEAD);
    if (bytes.length > 0) {
      this.pieces.push({ left, top, pixels: new ImageData(bytes, partWidth, partHeight) });
    }
    if (more > 0) return;
    this.on.picture({ frame, width, height, pieces: this.pieces, stage });
    this.pieces = [];
  }
}
