// The connection to the server: messages as JSON, pictures as bytes. It comes back by itself.

const HEAD = 32;

export class Connection {
  /**
   * @param {{message: (message: object) => void, picture: (picture: object) => void,
   *   state: (isOpen: boolean) => void}} on
   */
  constructor(on) {
    this.on = on;
    this.socket = null;
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
        this.on.picture(picture(data));
      }
    };
    socket.onclose = () => {
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
}

/** A rectangle of a picture from its bytes; `pixels` is null if nothing has changed. */
function picture(buffer) {
  const head = new Uint32Array(buffer, 0, HEAD / 4);
  const [frame, width, height, left, top, partWidth, partHeight, stage] = head;
  const bytes = new Uint8ClampedArray(buffer, HEAD);
  const pixels = bytes.length > 0 ? new ImageData(bytes, partWidth, partHeight) : null;
  return { frame, width, height, left, top, pixels, stage };
}
