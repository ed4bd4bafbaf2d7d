export {select, selectAll, create} from 'd3-selection';
export {scaleLinear, scaleLog, scaleBand, scaleOrdinal} from 'd3-scale';
export {axisBottom, axisLeft} from 'd3-axis';
export {line, area, stack, curveStepAfter} from 'd3-shape';
export {max, min, extent, sum} from 'd3-array';
export {format} from 'd3-format';
export {schemeTableau10} from 'd3-scale-chromatic';
