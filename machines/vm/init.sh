#!/bin/busybox sh
# The first process of a virtual machine, in its initial memory file system: load modules, set up the network, and go on from the disk.
/bin/busybox mkdir -p /proc /sys /dev /root
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
for module in $(/bin/busybox cat /modules/order); do
  /bin/busybox insmod "/modules/$module" || echo "the module $module cannot be loaded"
done
if /bin/busybox grep -q deskmill.probe /proc/cmdline; then
  /bin/busybox reboot -f  # it was started only to see whether it can run here
fi
/bin/busybox ifconfig lo 127.0.0.1
/bin/busybox ifconfig eth0 10.0.2.15 netmask 255.255.255.0
if ! /bin/busybox mount -t ext4 -o ro /dev/vda /root; then
  echo "the disk cannot be read"
  /bin/busybox reboot -f
fi
for folder in proc sys dev; do
  /bin/busybox mount --move "/$folder" "/root/$folder"
done
exec /bin/busybox switch_root /root /usr/bin/python3 -B /opt/deskmill/start.py
