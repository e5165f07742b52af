// The Monte Carlo run: the slider and the button move one number, the moment; all else follows from it.
const PER_SECOND = 6; // snapshots

// Between two snapshots the map is drawn as if it had moved straight.
function film(run) {
  const maps = unpack(run.maps);
  const samples = unpack(run.samples);
  const [d, axes, last] = [run.n_features, run.n_axes, run.step.length - 1];
  const n = samples.length / d;

  const around = (at) => [Math.floor(at), Math.min(Math.floor(at) + 1, last), at % 1];
  const between = (values, at) => {
    const [from, to, part] = around(at);
    if (values[from] === null || values[to] === null) return values[part > 0 ? to : from];
    return (1 - part) * values[from] + part * values[to];
  };
  const positions = (at) => {
    const [from, to, part] = around(at);
    const size = axes * d;
    const element = (_, e) => (1 - part) * maps[from * size + e] + part * maps[to * size + e];
    const map = Float32Array.from({ length: size }, element);
    return Array.from({ length: axes }, (_, a) => {
      return Float32Array.from({ length: n }, (_, i) => {
        let sum = 0;
        for (let j = 0; j < d; j++) sum += map[a * d + j] * samples[i * d + j];
        return sum;
      });
    });
  };
  return { last, between, positions };
}

function drawClock(run, between, moment) {
  if (!run.energy) return;
  const hover = (name) => ({ hovertemplate: `step %{x}: ${name} %{y:.4g}<extra></extra>` });
  const line = (name, tint, axes) => ({
    ...{ ...axes, x: run.step, y: run[name], mode: "lines", line: { color: tint, width: 2 }, ...hover(name) },
  });
  const dot = (name, tint, axes) => ({
    ...{ ...axes, x: [between(run.step, moment)], y: [between(run[name], moment)], mode: "markers", hoverinfo: "skip" },
    marker: { size: 11, color: tint, line: { width: 2, color: color("panel") } },
  });
  const known = run.temperature.filter((T) => T !== null);
  const falls = Math.min(...known) > 0 && Math.max(...known) > 10 * Math.min(...known);
  const [cold, hot, below] = [color("cold"), color("hot"), { yaxis: "y2" }];
  const traces = [line, dot].flatMap((drawn) => [drawn("energy", cold), drawn("temperature", hot, below)]);
  const scale = falls ? { type: "log" } : { rangemode: "tozero" };
  return draw("clock", traces, {
    xaxis: across("Monte Carlo step", { anchor: "y2" }),
    yaxis: upwards("energy", { domain: [0.47, 1], nticks: 5 }),
    yaxis2: upwards("temperature", { domain: [0, 0.37], nticks: 4, exponentformat: "e", ...scale }),
    margin: { l: 60, r: 10, t: 10, b: 40 },
  });
}

function drawMotion() {
  const run = data.motion;
  if (!run) return;
  const { last, between, positions } = film(run);
  const places = unpack(run.rows);
  const titles = ["axis 1", "axis 2", "axis 3"].slice(0, run.n_axes);
  const shades = targets && Array.from(places, (row) => targets.truth[row]);
  const actors = { deals: dealt(places), texts: Array.from(places, hoverText), titles, shades };
  const widest = Math.max(...run.reach, 1e-12);
  const [slider, play, zoom] = ["step", "play", "zoom"].map(byId);
  let moment = last;
  let timer = null;

  const drawSpace = () => {
    const reach = 1.05 * (zoom.checked ? between(run.reach, moment) : widest);
    return drawCloud("motion", { ...actors, coordinates: positions(moment) }, dimensions(), reach);
  };
  const drawTime = () => drawClock(run, between, moment);
  const dimensions = onDimensions("run-axes", drawSpace);

  const say = () => {
    const s = Math.round(moment);
    const words = [`step ${run.step[s]}`];
    if (run.energy && run.energy[s] !== null) {
      words.push(`temperature ${number(run.temperature[s])}`, `energy ${number(run.energy[s])}`);
    }
    byId("moment").textContent = words.join(" · ");
    slider.setAttribute("aria-valuetext", words.join(", "));
    slider.value = s;
  };

  const show = (at) => {
    const ticked = Math.round(at) !== Math.round(moment);
    moment = at;
    say();
    return Promise.all([drawSpace(), ticked && drawTime()]);
  };

  const mark = (playing) => {
    play.textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(playing));
  };
  const stop = () => {
    cancelAnimationFrame(timer);
    timer = null;
    mark(false);
  };
  const start = () => {
    const [from, began] = [moment >= last ? 0 : moment, performance.now()];
    const stepwise = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const tick = async (now) => {
      const at = Math.min(from + (Math.max(now - began, 0) / 1000) * PER_SECOND, last);
      await show(stepwise ? Math.floor(at) : at);
      if (timer === null) return;
      if (at >= last) stop();
      else timer = requestAnimationFrame(tick);
    };
    mark(true);
    timer = requestAnimationFrame(tick);
  };

  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  play.addEventListener("click", () => (timer === null ? start() : stop()));
  zoom.addEventListener("change", drawSpace);
  followers.push(drawSpace);
  say();
  figure(drawSpace);
  figure(drawTime);
}
