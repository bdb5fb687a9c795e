/// Version of the command-line tools.
package let toolVersion = "0.1.0"
